#pragma once

#include "base/clock.h"
#include "jobs/engine/form/observation.h"

#include <optional>
#include <string>
#include <string_view>

namespace trainyard::jobs {

/// How a pod failed: facts that its status tells, and nothing else.
struct Failure {
  std::string pod;
  std::string uid;
  std::string node;
  std::string container;  // the one that failed; empty: no process got that far
  bool alone = true;      // the pod has no other container
  std::int64_t exit_code = 0;
  std::int64_t signal = 0;
  std::string reason;        // OOMKilled, StartError, NodeLost, …
  std::string memory_limit;  // of the container
  std::optional<WallTime> time;
  bool exact = false;     // the time is finer than whole seconds
  std::string line;       // the one of its log that tells most
  bool launcher = false;  // torchrun's own report is all that is left of the log
  std::string message;    // of the pod, where no container has failed
};

Failure read_failure(const Observed& observed);
/// Of a pod whose node has started a container again: how that failed before.
Failure read_last_failure(const Observed& observed);
/// An entry of status.failures, and back.
Json to_json(const Failure& failure);
Failure read_failure(const Json& entry);

/// "Pod[x] exited with error code 1", or why it failed when no process did.
std::string headline_of(const Failure& failure);
/// "worker-2 failed (exit 1): KeyError: 'lr'": what people read first. `who`: the replica.
std::string short_of(const Failure& failure, std::string_view who);
/// That sentence for a job that has failed, or a replica of which has: of the pod that its
/// conditions name first, where they, too, tell when and where. Empty: no pod failed.
std::string short_cause(const Json& job);
/// "worker-2" of the pod "mnist-40c14-worker-2" of the job "mnist".
std::string_view replica_of_pod(std::string_view job, std::string_view pod);
/// On which node, at what time, killed by what, and its last line; begins with a blank.
std::string details_of(const Failure& failure);

}  // namespace trainyard::jobs
