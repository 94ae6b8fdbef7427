#pragma once

#include "object/metadata.h"

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace trainyard::jobs {

enum class RestartPolicy : std::uint8_t { kNever, kOnFailure, kAlways, kExitCode };
enum class CleanUp : std::uint8_t { kNone, kAll, kUnfinished };
/// What is started anew when a pod is to be replaced: it alone, or all together.
enum class RestartScope : std::uint8_t { kReplica, kJob };
/// What it means for the job that any replica failed for good.
enum class OnReplicaFailure : std::uint8_t { kContinue, kStopJob };

struct ReplicaGroup {
  std::string type;
  std::int64_t replicas = 1;
  RestartPolicy restart = RestartPolicy::kOnFailure;
  std::int64_t restart_limit = 0;  // of this group alone, where the job has no backoff_limit
};

/// One place in a job, filled by one pod at a time.
struct Replica {
  std::size_t group = 0;
  std::int64_t index = 0;
  std::int64_t rank = 0;
};

/// Holds when all replicas that it names have ended in one way, for good.
struct EndRule {
  std::vector<std::pair<std::size_t, std::int64_t>> replicas;  // group and index
};

/// What all job kinds are to the engine: groups of pods with stable indices, and rules for the end.
struct JobForm {
  std::vector<ReplicaGroup> groups;
  /// The group of rank 0. Ranks count through it, then through the others in their order.
  std::size_t first_group = 0;
  /// Rank 0 is the master: its end is the job's.
  bool has_master = true;
  /// Restarts that all replicas share; nothing: every group has a limit of its own.
  std::optional<std::int64_t> backoff_limit = 3;
  RestartScope restart_scope = RestartScope::kReplica;
  OnReplicaFailure on_replica_failure = OnReplicaFailure::kContinue;
  CleanUp clean_up = CleanUp::kNone;
  std::optional<std::chrono::seconds> deadline;
  bool paused = false;
  /// Elastic jobs run with as few as these.
  std::optional<std::int64_t> least_replicas;
  /// The job succeeds, or fails, when any of these holds.
  std::vector<EndRule> success_rules;
  std::vector<EndRule> failure_rules;
  /// The rule for success is not the user's own, but what is usual: it gives nothing up before all
  /// replicas have ended.
  bool success_is_usual = false;
  /// How many ports in a row its replicas meet at.
  std::int64_t ports = 1;

  std::int64_t total_replicas() const {
    std::int64_t total = 0;
    for (const ReplicaGroup& group : groups) total += group.replicas;
    return total;
  }
};

/// All replicas in the order of their ranks.
std::vector<Replica> replicas_of(const JobForm& form);

/// A job kind: reads its spec into the engine's form and builds its pods. Pure.
class JobKind {
 public:
  virtual ~JobKind() = default;
  virtual const Resource& resource() const = 0;
  /// As in `kind:`.
  virtual std::string_view name() const = 0;
  virtual JobForm read(const Json& job) const = 0;
  /// The pod of a replica with its rendezvous: labels, environment, command. The engine adds the
  /// owner, the name, what scheduling needs, and what debug mode changes.
  virtual Json make_pod(const Json& job, const JobForm& form, const Replica& replica,
                        std::int64_t port) const = 0;
  /// The name of the container that does the work; where there is none of that name, the first
  /// does.
  virtual std::string_view main_container() const = 0;
  /// The services under which the pods are found.
  virtual std::vector<Json> make_services(const Json& job, const JobForm& form) const;
  /// What the condition says when a rule has failed the job, before the cause; empty: the cause
  /// alone.
  virtual std::string failure_headline(const Json& /*job*/, const JobForm& /*form*/,
                                       const EndRule& /*rule*/) const {
    return {};
  }
};

}  // namespace trainyard::jobs
