#pragma once

#include "base/task_group.h"
#include "client/watching/informer.h"

#include <functional>
#include <string>

namespace trainyard::node {

enum class ConfigKind : std::uint8_t { kConfigMap, kSecret };

/// Finds a ConfigMap or Secret in a pod's namespace; nullptr: there is none.
using FindConfig = std::function<ObjectPtr(ConfigKind kind, const std::string& name)>;

/// The ConfigMaps and Secrets that pods may refer to, as they are now.
class ConfigObjects {
 public:
  ConfigObjects(Executor loop, client::Api& api, Clock& clock);
  void start();
  /// Returns when all that exist are known.
  awaitable<void> wait_synced();
  awaitable<void> stop() { return tasks_.stop(); }

  /// Told of each that came, changed or went.
  void on_change(std::function<void(const Key& config)> listener) {
    listener_ = std::move(listener);
  }
  ObjectPtr find(ConfigKind kind, const Key& key) const;

 private:
  client::Informer config_maps_;
  client::Informer secrets_;
  std::function<void(const Key& config)> listener_;
  TaskGroup tasks_;
};

}  // namespace trainyard::node
