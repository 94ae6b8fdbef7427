#pragma once

#include "jobs/engine/plan/plan.h"

#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard::jobs {

/// For tests: a PyTorchTrainingJob called mnist, its pods, and nothing else. It does what plans say
/// in the reconciler's order; the test plays the node, the user, the clock and the crash.
class World {
 public:
  /// `spec` is the job's, in YAML. The job has its port already, unless a test takes it away.
  explicit World(std::string_view spec);
  /// The same of another kind, which must outlive it.
  World(const JobKind& kind, std::string_view spec);
  /// A job with groups such as "{type: worker, replicas: 2}", and a runPolicy.
  static World with_groups(const std::vector<std::string>& groups,
                           const std::string& run_policy = "{}");

  JobPlan plan() const;
  /// Performs the first `most` steps of a plan, as a controller would that crashes after them.
  /// Returns whether the plan was done to its end.
  bool apply(const JobPlan& plan, std::size_t most = std::numeric_limits<std::size_t>::max());
  /// Plans and applies until there is nothing left to do. False: that never happened.
  bool settle();

  // The node's part.
  void set_phase(const std::string& pod, const std::string& phase);
  void set_all_phases(const std::string& phase);
  /// Succeeded with code 0, else Failed.
  void end_pod(const std::string& pod, std::int64_t code);
  /// A container has ended with that code, and the node has started it again.
  void restart_container(const std::string& pod, std::int64_t code);
  /// What our node adds to the status of a failed pod.
  void set_end_note(const std::string& pod, const std::string& note);

  // The user's part. Pods with a process end later, see finish_deletions().
  void delete_pod(const std::string& pod);
  /// Its node is gone, and it with it: nobody knows how it ended.
  void lose_pod(const std::string& pod);
  /// Pods on their way out are gone now.
  void finish_deletions();
  /// Ended pods, too, wait for finish_deletions() once they are deleted.
  void delete_slowly() { deletes_slowly_ = true; }

  // What there is to see. The short names of pods are worker-0, ps-1.
  std::string pod_name(const std::string& short_name) const;
  bool has_pod(const std::string& short_name) const { return pods.contains(pod_name(short_name)); }
  const Json& pod(const std::string& short_name) const { return pods.at(pod_name(short_name)); }
  const Json& status() const;
  /// What the engine remembers.
  Json memory() const { return kind_->recall(job); }
  std::string phase() const { return std::string(string_at(memory(), "phase")); }
  std::int64_t backoff() const { return int_at(memory(), "backoffCount"); }
  /// "True (Reason: message)", or "" when the condition is not there.
  std::string condition(std::string_view type) const;
  std::string condition_time(std::string_view type) const;
  /// A replica's entry in status.tasks.
  Json replica(const std::string& short_name) const;
  std::string replica_phase(const std::string& short_name) const {
    return std::string(string_at(replica(short_name), "phase"));
  }
  /// The messages of the events of that reason, in order.
  std::vector<std::string> told(std::string_view reason) const;

  Json job;
  std::map<std::string, Json> pods;  // by full name
  std::set<std::string> services;
  Json tensorboard;  // null: there is none
  bool has_pod_group = false;
  std::int64_t group_members = 0;
  std::string group_taken_by;
  bool port_is_usable = true;
  std::string refusal;
  WallTime now;
  std::vector<PlannedEvent> events;
  bool job_is_removed = false;
  int refused_creations = 0;  // a pod of that name was there
  /// Pods that were created in the place of one that had ended: what backoffCount must say.
  std::int64_t restarts = 0;

 private:
  void create_pod(Json pod);
  /// False: the pod is in another state than the removal is for.
  bool remove_pod(const Removal& removal);
  /// It has changed: what was seen of it is out of date.
  void touch(Json& pod);
  void let_go(const std::string& name);

  const JobKind* kind_;
  bool deletes_slowly_ = false;
  int next_uid_ = 1;
  int next_version_ = 1;
  std::map<std::string, bool> predecessor_ended_;  // by full name
};

bool is_empty(const JobPlan& plan);

}  // namespace trainyard::jobs
