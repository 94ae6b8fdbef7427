#include "cli/arena/training_job.h"

#include "cli/arena/pod_role.h"
#include "cli/arena/words.h"
#include "cli/command/job_facts.h"
#include "object/values/status.h"

#include <algorithm>
#include <charconv>

namespace trainyard::cli::arena {
namespace {

using std::chrono::nanoseconds;

std::optional<WallTime> time_at(const Json& object, std::string_view path) {
  const auto time = parse_time(string_at(object, path));
  return time ? std::optional(*time) : std::nullopt;
}

/// An MPIJob runs when its launcher does, whatever it says of its workers.
std::string raw_status_of_mpi(const TrainingJob& job) {
  const Json* launcher = chief_of(job);
  if (launcher == nullptr) return has_condition(job.body(), "Running") ? "RUNNING" : "PENDING";
  return phase_of_pod(*launcher) == "Pending" ? "PENDING" : "RUNNING";
}

bool is_chief(const TrainingJob& job, const Json& pod, bool has_chief_role) {
  const std::string role = pod_role(pod);
  if (job.type.name != "tfjob") return role == job.type.chief;
  if (has_chief_role) return role == "chief" || role == "master";
  return role == "worker" && pod_index(pod).value_or(0) == 0;
}

bool has_chief_replica(const TrainingJob& job) {
  const JsonObject& specs = object_at(job.body(), "spec.tfReplicaSpecs");
  return specs.contains("Chief") || specs.contains("Master");
}

/// The last change of any of a pod's conditions.
std::optional<WallTime> last_change(const Json& pod) {
  std::optional<WallTime> last;
  for (const Json& condition : array_at(pod, "status.conditions")) {
    const auto time = time_at(condition, "lastTransitionTime");
    if (time && (!last || *time > *last)) last = time;
  }
  return last;
}

std::optional<WallTime> created(const TrainingJob& job) {
  return time_at(job.body(), "metadata.creationTimestamp");
}

nanoseconds duration_of_mpi(const TrainingJob& job, WallTime now) {
  const auto began = created(job);
  if (!began) return {};
  std::optional<WallTime> end = time_at(job.body(), "status.completionTime");
  if (const Json* failed = find_condition(job.body(), "Failed");
      !end && has_condition(job.body(), "Failed")) {
    end = time_at(*failed, "lastTransitionTime");
  }
  return end.value_or(now) - *began;
}

bool counts_as_held(const Json& pod) {
  return !string_at(pod, "status.startTime").empty() && !has_ended(pod) && !is_being_deleted(pod);
}

template <class Counts>
std::int64_t sum_gpus(const TrainingJob& job, Counts counts) {
  std::int64_t total = 0;
  for (const ObjectPtr& pod : job.pods) {
    if (counts(pod->body())) total += pod_gpus(pod->body());
  }
  return total;
}

std::optional<std::int64_t> annotated_gpus(const Json& object) {
  const std::string_view text = annotation_of(object, "requestGPUsOfJobOwner");
  std::int64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = read.ec == std::errc() && read.ptr == text.data() + text.size();
  return whole && !text.empty() ? std::optional(number) : std::nullopt;
}

}  // namespace

std::string raw_status(const TrainingJob& job) {
  const Json& body = job.body();
  if (has_condition(body, "Succeeded")) return "SUCCEEDED";
  if (has_condition(body, "Failed")) return "FAILED";
  if (job.type.name == "mpijob") return raw_status_of_mpi(job);
  if (has_condition(body, "Running")) return "RUNNING";
  return has_condition(body, "Queuing") ? "QUEUING" : "PENDING";
}

std::string effective_status(const TrainingJob& job) {
  std::string status = raw_status(job);
  const bool one_waits = std::any_of(job.pods.begin(), job.pods.end(), [](const ObjectPtr& pod) {
    return phase_of_pod(pod->body()) == "Pending";
  });
  return status == "RUNNING" && one_waits ? "PENDING" : status;
}

const Json* chief_of(const TrainingJob& job) {
  const bool has_chief_role = has_chief_replica(job);
  const Json* best = nullptr;
  const auto rank = [](const Json& pod) {
    return std::pair(phase_of_pod(pod) != "Pending",
                     std::string_view(string_at(pod, "metadata.creationTimestamp")));
  };
  for (const ObjectPtr& pod : job.pods) {
    const Json& body = pod->body();
    if (!is_chief(job, body, has_chief_role)) continue;
    if (best == nullptr || rank(body) > rank(*best)) best = &body;
  }
  return best;
}

std::optional<WallTime> start_of(const TrainingJob& job) {
  return job.type.name == "tfjob" ? time_at(job.body(), "status.startTime") : created(job);
}

nanoseconds age_of(const TrainingJob& job, WallTime now) {
  const auto start = start_of(job);
  return start ? now - *start : nanoseconds();
}

nanoseconds duration_of(const TrainingJob& job, WallTime now) {
  if (job.type.name == "mpijob") return duration_of_mpi(job, now);
  const auto start = time_at(job.body(), "status.startTime");
  if (!start) return {};
  if (const auto end = time_at(job.body(), "status.completionTime")) return *end - *start;
  const Json* chief = chief_of(job);
  if (raw_status(job) == "FAILED" && chief != nullptr) {
    // Who failed without an end has none but its chief's.
    const auto end = last_change(*chief);
    const auto began = job.type.name == "tfjob" ? start : created(job);
    if (end && began) return *end - *began;
  }
  return now - *start;
}

std::int64_t requested_gpus(const TrainingJob& job) {
  if (const auto own = annotated_gpus(job.body())) return *own;
  for (const ObjectPtr& pod : job.pods) {
    if (const auto noted = annotated_gpus(pod->body())) return *noted;
  }
  return sum_gpus(job, [](const Json&) { return true; });
}

std::int64_t running_gpus(const TrainingJob& job) {
  return sum_gpus(job, [](const Json& pod) { return phase_of_pod(pod) == "Running"; });
}

std::int64_t held_gpus(const TrainingJob& job) {
  return sum_gpus(job, counts_as_held);
}

std::string priority_of(const TrainingJob& job) {
  for (const ReplicaGroup& group : replica_groups(job.body())) {
    if (group.pod == nullptr) continue;
    const std::string_view name = string_at(*group.pod, "priorityClassName");
    if (!name.empty()) return std::string(name);
  }
  return std::string(string_at(job.body(), "spec.runPolicy.schedulingPolicy.priorityClass", "N/A"));
}

std::string trainer_name(const TrainingJob& job) {
  return upper(job.type.name);
}

}  // namespace trainyard::cli::arena
