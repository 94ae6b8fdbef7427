#include "jobs/engine/form/observation.h"

#include "base/clock.h"
#include "jobs/engine/form/names.h"
#include "object/values/status.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace trainyard::jobs {
namespace {

constexpr std::array kPhaseNames{"Pending", "Running",  "Succeeded", "Failed",
                                 "Unknown", "Creating", "Deleted"};

/// Calls `visit` for the status of every container, in the order in which they run.
template <class Visit>
void for_each_container(const Json& pod, Visit visit) {
  for (const char* list : {"status.initContainerStatuses", "status.containerStatuses"}) {
    for (const Json& container : array_at(pod, list)) visit(container);
  }
}

/// When the last of its containers ended; nothing: not known.
std::optional<WallTime> end_of(const Json& pod) {
  std::optional<WallTime> last;
  for_each_container(pod, [&](const Json& container) {
    const auto end = parse_time(string_at(container, "state.terminated.finishedAt"));
    if (end && (!last || *end > *last)) last = *end;
  });
  return last;
}

/// The exit code of the container that failed first in order; 0 when none has failed.
std::int64_t exit_code(const Json& pod) {
  std::int64_t code = 0;
  for_each_container(pod, [&](const Json& container) {
    if (code == 0) code = int_at(container, "state.terminated.exitCode");
  });
  return code;
}

std::int64_t restarts_of(const Json& pod) {
  const std::string_view text = annotation_of(pod, kRestartsAnnotation);
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// Whether the pod had ended by itself before somebody asked for its deletion.
bool ended_before_deletion(const Json& pod) {
  const auto deadline = parse_time(string_at(pod, "metadata.deletionTimestamp"));
  const auto end = end_of(pod);
  if (!deadline || !end) return false;
  const std::chrono::seconds grace(int_at(pod, "metadata.deletionGracePeriodSeconds"));
  return *end < *deadline - grace;
}

void observe_pod(Observed& observed, const Json* memory) {
  const Json& pod = observed.pod->body();
  const bool same = memory != nullptr && string_at(*memory, "uid") == uid_of(pod);
  observed.phase = read_pod_phase(string_at(pod, "status.phase", "Pending"));
  const PodPhase remembered_phase =
      same ? read_pod_phase(string_at(*memory, "phase")) : PodPhase::kUnknown;
  observed.restarts = restarts_of(pod);
  // Somebody deleted it while it ran: that its processes end now is neither a failure of theirs
  // nor, where they obey with exit code 0, a success.
  if (is_over(observed.phase) && is_being_deleted(pod) && !ended_before_deletion(pod) &&
      !(same && remembered_phase == observed.phase)) {
    observed.phase = same ? remembered_phase : PodPhase::kRunning;
  }
  observed.recorded = same && remembered_phase == observed.phase;
  if (is_over(observed.phase)) {
    observed.ended_as = end_of(observed.phase);
    observed.exit_code = exit_code(pod);
  }
}

/// The pod is gone: what its entry in the status tells of it.
void observe_gone(Observed& observed, const Json& memory) {
  const PodPhase phase = read_pod_phase(string_at(memory, "phase"));
  observed.restarts = int_at(memory, "restarts");
  observed.ended_as = end_of(is_over(phase) ? phase : read_pod_phase(string_at(memory, "endedAs")));
  if (!observed.has_ended()) return;
  if (phase == PodPhase::kDeleted) observed.phase = phase;
  for (const Json& container : array_at(memory, "containers")) {
    if (observed.exit_code == 0) observed.exit_code = int_at(container, "exitCode");
  }
}

Observed observe_one(const Json& job, const JobForm& form,
                     const std::map<std::string, ObjectPtr>& pods, const Json& status,
                     const Replica& replica) {
  Observed observed;
  observed.replica = replica;
  observed.name = pod_name(job, form, replica);
  const Json* memory = remembered(status, observed.name);
  if (const auto found = pods.find(observed.name); found != pods.end()) {
    observed.pod = found->second;
    observe_pod(observed, memory);
  } else {
    observed.phase = PodPhase::kCreating;
    if (memory != nullptr) observe_gone(observed, *memory);
  }
  return observed;
}

/// Pods of the job whose index is beyond what is wanted, the highest of each group first.
std::vector<Observed> observe_surplus(const Json& job, const JobForm& form,
                                      const std::map<std::string, ObjectPtr>& pods,
                                      const Json& status) {
  std::vector<Observed> surplus;
  for (const auto& [name, pod] : pods) {
    const std::string_view type = label_of(pod->body(), kReplicaTypeLabel);
    const std::string_view text = label_of(pod->body(), kReplicaIndexLabel);
    std::int64_t index = 0;
    std::from_chars(text.data(), text.data() + text.size(), index);
    for (std::size_t group = 0; group < form.groups.size(); ++group) {
      if (form.groups[group].type != type || index < form.groups[group].replicas) continue;
      surplus.push_back(observe_one(job, form, pods, status, Replica{group, index, -1}));
      surplus.back().surplus = true;
    }
  }
  std::sort(surplus.begin(), surplus.end(),
            [](const Observed& a, const Observed& b) { return a.replica.index > b.replica.index; });
  return surplus;
}

}  // namespace

const char* word_for(PodPhase phase) {
  return kPhaseNames[static_cast<std::size_t>(phase)];
}

PodPhase read_pod_phase(std::string_view name) {
  for (std::size_t i = 0; i < kPhaseNames.size(); ++i) {
    if (name == kPhaseNames[i]) return static_cast<PodPhase>(i);
  }
  return PodPhase::kUnknown;
}

bool is_over(PodPhase phase) {
  return phase == PodPhase::kSucceeded || phase == PodPhase::kFailed;
}

PodEnd end_of(PodPhase phase) {
  if (!is_over(phase)) return PodEnd::kNone;
  return phase == PodPhase::kFailed ? PodEnd::kFailed : PodEnd::kSucceeded;
}

PodPhase phase_of(PodEnd end) {
  if (end == PodEnd::kNone) return PodPhase::kUnknown;
  return end == PodEnd::kFailed ? PodPhase::kFailed : PodPhase::kSucceeded;
}

const Json* remembered(const Json& status, const std::string& name) {
  for (const Json& task : array_at(status, "tasks")) {
    for (const Json& replica : array_at(task, "replicas")) {
      if (string_at(replica, "name") == name) return &replica;
    }
  }
  return nullptr;
}

std::vector<Observed> observe_replicas(const Json& job, const JobForm& form,
                                       const std::map<std::string, ObjectPtr>& pods,
                                       const Json& status) {
  std::vector<Observed> observed;
  for (const Replica& replica : replicas_of(form)) {
    observed.push_back(observe_one(job, form, pods, status, replica));
  }
  for (Observed& one : observe_surplus(job, form, pods, status)) {
    observed.push_back(std::move(one));
  }
  return observed;
}

Waiting why_waiting(const std::vector<Observed>& observed) {
  Waiting starting;
  for (const Observed& one : observed) {
    if (one.pod == nullptr || is_over(one.phase)) continue;
    const Json& pod = one.pod->body();
    const Json* placed = find_condition(pod, "PodScheduled");
    if (placed != nullptr && string_at(*placed, "status") == "False") {
      return {"Unschedulable", std::string(string_at(*placed, "message"))};
    }
    for_each_container(pod, [&](const Json& container) {
      const std::string_view message = string_at(container, "state.waiting.message");
      if (!starting.message.empty() || message.empty()) return;
      starting.reason = string_at(container, "state.waiting.reason", "Waiting");
      starting.message = fmt::format("Pod[{}] waits to start: {}", one.name, message);
    });
  }
  return starting;
}

}  // namespace trainyard::jobs
