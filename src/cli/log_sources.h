#pragma once

#include "client/pod_streams.h"
#include "object/metadata.h"

#include <string>
#include <vector>

namespace trainyard::cli {

/// Which logs of a job are wanted.
struct LogsOptions {
  std::string job;
  std::string replica;  // type-index, such as node-0; empty: all
  bool follow = false;
  bool previous = false;  // of the attempt before the last
};

/// One log to print.
struct LogSource {
  std::string replica;
  Key pod;
  std::string uid;
  bool previous = false;  // of this pod, the run before the last, or else the pod that it replaced
};

/// One a replica: of its pod if it has one, otherwise of the last that it had. `kept` is oldest
/// first.
std::vector<LogSource> choose_logs(const std::vector<ObjectPtr>& pods,
                                   const std::vector<client::KeptLog>& kept,
                                   const LogsOptions& options);

}  // namespace trainyard::cli
