#pragma once

#include "object/values/metadata.h"

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace trainyard::jobs {

enum class RestartPolicy : std::uint8_t {
  kNever,
  kOnFailure,
  kAlways,
  kExitCode,      // T9k's codes for "from outside" and "restart me"
  kSignalOrMore,  // exit codes from 128 on, as Kubeflow has it
};
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
  /// What the node does with containers that end: restartPolicy of the pods. Never: pods are
  /// replaced by the engine, and by nobody else.
  std::string in_place = "Never";
  bool alone = false;  // its one pod has no index in its name
  /// Where it differs from the job's.
  std::optional<CleanUp> clean_up;
  /// When the job has failed and is stopped, its pods may end by themselves for so long.
  std::chrono::seconds may_go_on{0};
  /// Its pods are made when all of the other groups' are ready.
  bool comes_last = false;
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

/// What has ended a job.
enum class EndedBy : std::uint8_t { kRules, kDeadline, kRestartsInPlace, kNoStart };

/// How its pods are called.
struct Naming {
  /// <job>-<type>-<index>, and each has a Service of that name. Otherwise names tell jobs of one
  /// name apart, and one Service leads to all pods.
  bool plain = false;
  /// make_pod() gives the pods their host names.
  bool hosts = false;
};

/// When it is over, and what becomes of its pods then.
struct Ends {
  /// Rank 0 is the master: its end is the job's.
  bool has_master = true;
  /// The job succeeds, or fails, when any of these holds.
  std::vector<EndRule> success_rules;
  std::vector<EndRule> failure_rules;
  /// The rule for success is not the user's own, but what is usual: it gives nothing up before all
  /// replicas have ended.
  bool success_is_usual = false;
  OnReplicaFailure on_replica_failure = OnReplicaFailure::kContinue;
  CleanUp clean_up = CleanUp::kNone;
  /// Pods that still run when the job has failed are stopped, whatever else is kept.
  bool stops_when_failed = false;
  /// The job is deleted so long after its end.
  std::optional<std::chrono::seconds> time_to_live;
};

/// How often it is started again, and how long it may take.
struct Limits {
  /// Restarts that all replicas share; nothing: every group has a limit of its own.
  std::optional<std::int64_t> backoff = 3;
  RestartScope restart_scope = RestartScope::kReplica;
  /// The job fails when the node has started so many containers again.
  std::optional<std::int64_t> in_place;
  std::optional<std::chrono::seconds> deadline;
  /// A pause that is over has the deadline's clock begin anew.
  bool pause_resets_clock = false;
};

/// How its replicas find each other.
struct Meeting {
  /// How many ports in a row they meet at.
  std::int64_t ports = 1;
  /// Rank 0 leads the others: it is not started, or started again, when one of them has failed for
  /// good.
  bool starts_with_all = false;
  /// The init container of rank 0 that is not tried again: the job fails with it. Empty: none.
  std::string gate;
};

/// What all job kinds are to the engine: groups of pods with stable indices, and rules for the end.
struct JobForm {
  std::vector<ReplicaGroup> groups;
  /// The group of rank 0. Ranks count through it, then through the others in their order.
  std::size_t first_group = 0;
  bool paused = false;
  /// Elastic jobs run with as few as these.
  std::optional<std::int64_t> least_replicas;
  Naming naming;
  Ends ends;
  Limits limits;
  Meeting meeting;

  std::int64_t total_replicas() const {
    std::int64_t total = 0;
    for (const ReplicaGroup& group : groups) total += group.replicas;
    return total;
  }
};

/// All replicas in the order of their ranks.
std::vector<Replica> replicas_of(const JobForm& form);

struct Draft;

/// The part of a job that describes a group of pods.
struct ReplicaSpec {
  std::string path;            // where it is in the job
  const Json* spec = nullptr;  // lives as long as the job
};

/// Something that the pods of a job cannot do without: it is there before them.
struct SupportObject {
  Resource resource;
  Json object;
  /// A Secret that a pair of keys for ssh is put into when it is made: plans are pure.
  bool takes_keys = false;
};

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
  /// Has the scheduler place all pods or none.
  virtual Json make_pod_group(const Json& job, const JobForm& form) const;
  /// What else its pods need.
  virtual std::vector<SupportObject> make_support(const Json& /*job*/, const JobForm& /*form*/,
                                                  std::int64_t /*port*/) const {
    return {};
  }
  /// What the main container of that group does in debug mode, unless the job says otherwise;
  /// empty: what it always does.
  virtual JsonArray debug_command(const ReplicaGroup& /*group*/) const { return {"sleep", "inf"}; }
  /// Adds to the status what only this kind knows of.
  virtual void tell_more(Draft& /*draft*/) const {}
  /// What the condition says when a rule has failed the job, before the cause; empty: the cause
  /// alone.
  virtual std::string failure_headline(const Draft& /*draft*/, const EndRule& /*rule*/) const {
    return {};
  }
  /// The same when a limit has.
  virtual std::string limit_headline(const Draft& draft, EndedBy limit) const;

  // How a job is read and told where that differs from T9k's kinds.

  /// False: the job is somebody else's to run.
  virtual bool manages(const Json& /*job*/) const { return true; }
  /// Where the groups of pods are described.
  virtual std::string specs_field() const { return "spec.replicaSpecs"; }
  virtual std::vector<ReplicaSpec> replica_specs(const Json& job) const;
  /// The field that holds the job.
  virtual std::string_view pause_field() const { return "spec.runMode.pause.enabled"; }
  /// Whom events are said to come from.
  virtual std::string event_source() const { return "trainyard-jobs"; }
  /// Why pods are left to run when the job is over.
  virtual std::string_view why_kept() const { return "cleanUpPolicy None"; }
  /// The engine's own status, as it was last written: what it remembers a job by.
  virtual Json recall(const Json& job) const;
  /// Puts the status of the draft into the plan when anything has changed, in the words of the
  /// kind.
  virtual void report(Draft& draft) const;
};

/// The group of that type that has replicas; nothing: there is none.
std::optional<std::size_t> find_group(const JobForm& form, std::string_view type);

}  // namespace trainyard::jobs
