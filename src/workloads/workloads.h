#pragma once

#include "workloads/garbage_collector.h"
#include "workloads/served_kinds.h"

#include <vector>

namespace trainyard::workloads {

/// The controllers that a Kubernetes API is expected to come with. Each runs only when the kinds
/// that it works on are served.
class Workloads {
 public:
  /// `built_in`: the kinds that are always served.
  Workloads(Executor loop, client::Api& api, Clock& clock, const std::vector<ServedKind>& built_in);
  void start();
  awaitable<void> stop();

 private:
  ServedKinds kinds_;
  GarbageCollector garbage_;
};

}  // namespace trainyard::workloads
