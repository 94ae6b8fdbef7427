#pragma once

#include "base/clock.h"
#include "object/values/metadata.h"

#include <optional>
#include <string>
#include <vector>

/// What a job says of itself, read in the same way from T9k's kinds (status.phase, status.tasks)
/// and from Kubeflow's (conditions only). Pure.
namespace trainyard::cli {

/// The labels of a pod that name its job: T9k's kinds, and Kubeflow's.
inline constexpr const char* kOwnerNameLabel = "tensorstack.dev/owner-name";
inline constexpr const char* kKubeflowJobLabel = "training.kubeflow.org/job-name";
inline constexpr const char* kKubeflowRoleLabel = "training.kubeflow.org/job-role";

bool is_kubeflow(const Json& job);

/// Pending, Running, Paused, Resuming, Restarting, Succeeded, Failed or Unknown.
std::string phase_of(const Json& job);
bool job_has_ended(const Json& job);
/// Whether its spec asks for a pause.
bool is_paused(const Json& job);
/// The merge patch that pauses it, or lets it go on.
Json pause_patch(const Json& job, bool paused);

/// A group of pods that are alike.
struct ReplicaGroup {
  std::string type;
  std::int64_t replicas = 1;
  const Json* pod = nullptr;  // the template's spec; lives as long as the job
  std::string restart;        // Never, OnFailure …; empty: the kind's default
};
std::vector<ReplicaGroup> replica_groups(const Json& job);
/// The container of a group that trains.
const Json* main_container(const ReplicaGroup& group);

/// `worker-0`: the replica that a pod with these labels is; empty when they do not say.
std::string replica_of(const Json& labels);
/// Whether a pod with these labels belongs to a job of that name.
bool belongs_to(const Json& labels, const std::string& job);
/// Whether a pod is one of this very job's, and not of another with the same name. The launcher of
/// an MPIJob may belong to a Job of the operator's, which belongs to the MPIJob.
bool is_pod_of(const Json& job, const Json& pod);
/// worker-9 comes before worker-10.
bool replica_before(const std::string& a, const std::string& b);

/// One replica as it is now.
struct ReplicaState {
  std::string replica;
  std::string pod;
  std::string phase;
  std::string node;
  std::optional<std::int64_t> exit_code;
  std::string end_reason;  // OOMKilled, Error …
  std::int64_t restarts = 0;
  std::string started;
  std::string ended;
};
/// Those that the status knows, with what their pods say, and pods that it does not know yet.
std::vector<ReplicaState> replica_states(const Json& job, const std::vector<ObjectPtr>& pods);

/// `node: 1/1` for each group: running (or done) of all.
std::string replica_summary(const Json& job);
/// Why the job is where it is, in one short sentence; conditions have more of it. May be empty.
std::string explanation(const Json& job);
/// Which rank has stopped moving, or keeps the others waiting; may be empty.
std::string stall_of(const Json& job);
/// What a pod says that it waits for, when one does; may be empty.
std::string waiting_reason(const std::vector<ObjectPtr>& pods);
/// The replica that failed first; nullptr when none did.
const ReplicaState* first_failure(const std::vector<ReplicaState>& states);

std::string age_of(const Json& object, WallTime now);
/// From its start until its end or now; `-` before it.
std::string duration_of(const Json& job, WallTime now);

}  // namespace trainyard::cli
