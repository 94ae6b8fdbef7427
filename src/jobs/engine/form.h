#pragma once

#include "object/metadata.h"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace trainyard::jobs {

enum class RestartPolicy : std::uint8_t { kNever, kOnFailure, kAlways, kExitCode };
enum class CleanUp : std::uint8_t { kNone, kAll, kUnfinished };

struct ReplicaGroup {
  std::string type;
  std::int64_t replicas = 1;
  RestartPolicy restart = RestartPolicy::kOnFailure;
};

/// What all job kinds are to the engine: groups of pods with stable indices, and rules for the end.
struct JobForm {
  std::vector<ReplicaGroup> groups;
  std::int64_t backoff_limit = 3;
  CleanUp clean_up = CleanUp::kNone;
  std::optional<std::chrono::seconds> deadline;

  std::int64_t total_replicas() const {
    std::int64_t total = 0;
    for (const ReplicaGroup& group : groups) total += group.replicas;
    return total;
  }
};

/// One place in a job, filled by one pod at a time. Ranks count through the groups in order;
/// rank 0 is the master.
struct Replica {
  std::size_t group = 0;
  std::int64_t index = 0;
  std::int64_t rank = 0;
};

/// A job kind: reads its spec into the engine's form and builds its pods. Pure.
class JobKind {
 public:
  virtual ~JobKind() = default;
  virtual const Resource& resource() const = 0;
  virtual JobForm read(const Json& job) const = 0;
  /// The pod of a replica with its rendezvous: names, labels, environment, command. The engine adds
  /// the owner and what scheduling needs.
  virtual Json make_pod(const Json& job, const JobForm& form, const Replica& replica,
                        std::int64_t port) const = 0;
};

}  // namespace trainyard::jobs
