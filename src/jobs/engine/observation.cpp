#include "jobs/engine/observation.h"

#include "jobs/engine/names.h"
#include "object/status.h"

#include <fmt/format.h>

#include <charconv>

namespace trainyard::jobs {
namespace {

/// Calls `visit` for the status of every container, in the order in which they run.
template <class Visit>
void for_each_container(const Json& pod, Visit visit) {
  for (const char* list : {"status.initContainerStatuses", "status.containerStatuses"}) {
    for (const Json& container : array_at(pod, list)) visit(container);
  }
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

void observe_pod(Observed& observed, const Json* memory) {
  const Json& pod = observed.pod->body();
  const bool same = memory != nullptr && string_at(*memory, "uid") == uid_of(pod);
  observed.phase = string_at(pod, "status.phase", "Pending");
  observed.restarts = restarts_of(pod);
  // Somebody deleted it while it ran: that its processes end now is no failure of theirs.
  if (observed.phase == "Failed" && is_being_deleted(pod) &&
      !(same && string_at(*memory, "phase") == "Failed")) {
    observed.phase = same ? string_at(*memory, "phase") : "Running";
  }
  observed.recorded = same && string_at(*memory, "phase") == observed.phase;
  if (is_final(observed.phase)) {
    observed.ended_as = observed.phase;
    observed.exit_code = exit_code(pod);
  }
}

/// The pod is gone: what its entry in the status tells of it.
void observe_gone(Observed& observed, const Json& memory) {
  const std::string_view phase = string_at(memory, "phase");
  const JsonArray& containers = array_at(memory, "containers");
  observed.restarts = int_at(memory, "restarts");
  for (const Json& container : containers) {
    if (observed.exit_code == 0) observed.exit_code = int_at(container, "exitCode");
  }
  if (phase == "Deleted") {
    observed.phase = phase;
    observed.ended_as = observed.exit_code == 0 && !containers.empty() ? "Succeeded" : "Failed";
  } else if (is_final(phase)) {
    observed.ended_as = phase;
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
    observed.phase = "Creating";
    if (memory != nullptr) observe_gone(observed, *memory);
  }
  return observed;
}

}  // namespace

const Json* remembered(const Json& status, const std::string& name) {
  for (const Json& task : array_at(status, "tasks")) {
    for (const Json& replica : array_at(task, "replicas")) {
      if (string_at(replica, "name") == name) return &replica;
    }
  }
  return nullptr;
}

std::string how_it_failed(const Observed& observed) {
  std::string text =
      fmt::format("Pod[{}] exited with error code {}", observed.name, observed.exit_code);
  if (observed.pod == nullptr) return text;
  const Json& pod = observed.pod->body();
  std::string message(string_at(pod, "status.message"));
  for_each_container(pod, [&](const Json& container) {
    if (message.empty()) message = string_at(container, "state.terminated.message");
  });
  if (observed.exit_code == 0) {
    text = fmt::format("Pod[{}] failed: {}", observed.name, string_at(pod, "status.reason"));
  }
  if (!message.empty()) text += fmt::format(" ({})", message);
  return text;
}

bool may_restart(RestartPolicy policy, const Observed& observed) {
  const bool failed = observed.ended_as == "Failed";
  const std::int64_t code = observed.exit_code;
  switch (policy) {
    case RestartPolicy::kNever:
      return false;
    case RestartPolicy::kOnFailure:
      return failed;
    case RestartPolicy::kAlways:
      return !observed.ended_as.empty();
    case RestartPolicy::kExitCode:
      // SIGINT, SIGKILL, SIGTERM from outside, and 138: the user's own "restart me".
      return failed && (code == 130 || code == 137 || code == 138 || code == 143);
  }
  return false;
}

std::vector<Observed> observe_replicas(const Json& job, const JobForm& form,
                                       const std::map<std::string, ObjectPtr>& pods,
                                       const Json& status) {
  std::vector<Observed> observed;
  std::int64_t rank = 0;
  for (std::size_t group = 0; group < form.groups.size(); ++group) {
    for (std::int64_t index = 0; index < form.groups[group].replicas; ++index) {
      observed.push_back(observe_one(job, form, pods, status, Replica{group, index, rank++}));
    }
  }
  return observed;
}

std::string why_unplaced(const std::vector<Observed>& observed) {
  for (const Observed& one : observed) {
    if (one.pod == nullptr) continue;
    const Json* placed = find_condition(one.pod->body(), "PodScheduled");
    if (placed != nullptr && string_at(*placed, "status") == "False") {
      return std::string(string_at(*placed, "message"));
    }
  }
  return {};
}

}  // namespace trainyard::jobs
