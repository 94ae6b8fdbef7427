#pragma once

#include "cli/command/commands.h"
#include "client/pod_streams.h"
#include "object/values/metadata.h"

#include <optional>
#include <string>
#include <vector>

namespace trainyard::cli {

/// One log to print.
struct LogSource {
  std::string replica;
  Key pod;
  std::string uid;
  bool previous = false;  // of this pod, the run before the last, or else the pod that it replaced
  std::string node{};     // where the pod is, if that is known
};

/// What is said of a log that is there and cannot be had: on a cluster, each node has its own.
Error unreadable(const LogSource& source, const Error& why);

/// worker-0 is wanted by its name, and by its type with all others of it; by nothing, all are.
bool is_wanted_replica(const std::string& replica, const std::string& wanted);

/// One a replica: of its pod if it has one, otherwise of the last that it had; with options.all
/// every one, named replica#1, #2 … where there are several. `kept` is oldest first; `job` is the
/// job's name alone.
std::vector<LogSource> choose_logs(const std::vector<ObjectPtr>& pods,
                                   const std::vector<client::KeptLog>& kept, const std::string& job,
                                   const LogsOptions& options);

}  // namespace trainyard::cli
