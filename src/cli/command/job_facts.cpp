#include "cli/command/job_facts.h"

#include "object/values/status.h"
#include "jobs/engine/form/failure.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::cli {
namespace {

std::string label(const Json& labels, const char* name) {
  const auto* object = labels.if_object();
  const Json* value = object == nullptr ? nullptr : object->if_contains(name);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : "";
}

/// Kubeflow's kinds have no phase: the last condition that holds tells.
std::string phase_by_conditions(const Json& job) {
  for (const char* type : {"Succeeded", "Failed", "Suspended", "Running", "Restarting"}) {
    if (!has_condition(job, type)) continue;
    return std::string_view(type) == "Suspended" ? "Paused" : type;
  }
  return "Pending";
}

/// `pytorchReplicaSpecs` and its likes.
const Json* kubeflow_replica_specs(const Json& job) {
  for (const auto& member : object_at(job, "spec")) {
    if (member.key().ends_with("ReplicaSpecs") && member.value().is_object()) {
      return &member.value();
    }
  }
  return nullptr;
}

ReplicaGroup read_group(std::string type, const Json& spec) {
  ReplicaGroup group;
  group.type = std::move(type);
  group.replicas = int_at(spec, "replicas", 1);
  group.pod = find(spec, "template.spec");
  // Some kinds have an object here: {policy, limit}.
  group.restart = string_at(spec, "restartPolicy", string_at(spec, "restartPolicy.policy"));
  return group;
}

const ObjectPtr* find_pod(const std::vector<ObjectPtr>& pods, std::string_view name) {
  const auto found = std::find_if(
      pods.begin(), pods.end(), [&](const ObjectPtr& pod) { return name_of(pod->body()) == name; });
  return found == pods.end() ? nullptr : &*found;
}

void add_pod_facts(ReplicaState& state, const Json& pod) {
  if (state.phase.empty()) state.phase = string_at(pod, "status.phase", "Pending");
  state.node = string_at(pod, "spec.nodeName");
  state.started = string_at(pod, "status.startTime");
  for (const Json& container : array_at(pod, "status.containerStatuses")) {
    state.restarts += int_at(container, "restartCount");
    const Json* end = find(container, "state.terminated");
    if (end == nullptr) continue;
    // Of several containers the one that failed is the one to tell of.
    if (state.exit_code && *state.exit_code != 0 && !state.end_reason.empty()) continue;
    state.exit_code = int_at(*end, "exitCode");
    state.end_reason = string_at(*end, "reason");
    state.ended = string_at(*end, "finishedAt");
  }
}

}  // namespace

bool is_kubeflow(const Json& job) {
  return string_at(job, "apiVersion").starts_with("kubeflow.org/");
}

std::string phase_of(const Json& job) {
  if (is_kubeflow(job)) return phase_by_conditions(job);
  return std::string(string_at(job, "status.phase", "Pending"));
}

bool job_has_ended(const Json& job) {
  return is_final(phase_of(job));
}

bool is_paused(const Json& job) {
  return bool_at(job, is_kubeflow(job) ? "spec.runPolicy.suspend" : "spec.runMode.pause.enabled");
}

Json pause_patch(const Json& job, bool paused) {
  Json patch(JsonObject{});
  make_path(patch, is_kubeflow(job) ? "spec.runPolicy.suspend" : "spec.runMode.pause.enabled") =
      paused;
  return patch;
}

std::vector<ReplicaGroup> replica_groups(const Json& job) {
  std::vector<ReplicaGroup> groups;
  for (const Json& spec : array_at(job, "spec.replicaSpecs")) {
    groups.push_back(read_group(std::string(string_at(spec, "type")), spec));
  }
  if (const Json* specs = kubeflow_replica_specs(job)) {
    for (const auto& member : specs->get_object()) {
      groups.push_back(read_group(std::string(member.key()), member.value()));
    }
  }
  // MPIJobs of the older form, and DeepSpeedJobs.
  if (const Json* worker = find(job, "spec.worker")) {
    groups.push_back(read_group("worker", *worker));
  }
  return groups;
}

const Json* main_container(const ReplicaGroup& group) {
  if (group.pod == nullptr) return nullptr;
  const JsonArray& containers = array_at(*group.pod, "containers");
  for (const Json& container : containers) {
    const std::string_view name = string_at(container, "name");
    if (name == "python" || name == "pytorch" || name == "tensorflow") return &container;
  }
  return containers.empty() ? nullptr : &containers.front();
}

std::string replica_of(const Json& labels) {
  // The operator of MPIJobs says role where the others say type.
  constexpr std::pair<const char*, const char*> kWords[] = {
      {"replica-type", "replica-index"},
      {"training.kubeflow.org/replica-type", "training.kubeflow.org/replica-index"},
      {kKubeflowRoleLabel, "training.kubeflow.org/replica-index"}};
  for (const auto& [type_label, index_label] : kWords) {
    const std::string type = label(labels, type_label);
    const std::string index = label(labels, index_label);
    if (!type.empty()) return index.empty() ? type : fmt::format("{}-{}", type, index);
  }
  return "";
}

bool belongs_to(const Json& labels, const std::string& job) {
  return label(labels, kOwnerNameLabel) == job || label(labels, kKubeflowJobLabel) == job;
}

bool is_pod_of(const Json& job, const Json& pod) {
  const Json* owner = controller_of(pod);
  if (owner == nullptr) return false;
  if (string_at(*owner, "uid") == uid_of(job)) return true;
  return string_at(job, "kind") == "MPIJob" && string_at(*owner, "kind") == "Job" &&
         string_at(*owner, "name") == fmt::format("{}-launcher", name_of(job)) &&
         label_of(pod, kKubeflowJobLabel) == name_of(job) &&
         label_of(pod, kKubeflowRoleLabel) == "launcher";
}

bool replica_before(const std::string& a, const std::string& b) {
  const auto split = [](const std::string& text) {
    const std::size_t dash = std::min(text.rfind('-'), text.size());
    const std::string number = text.substr(dash);
    return std::tuple(text.substr(0, dash), number.size(), number);
  };
  return split(a) < split(b);
}

std::vector<ReplicaState> replica_states(const Json& job, const std::vector<ObjectPtr>& pods) {
  std::vector<ReplicaState> states;
  std::vector<std::string> known;
  // Of Kubeflow's kinds the engine remembers apart.
  const char* tasks = is_kubeflow(job) ? "status.trainyard.tasks" : "status.tasks";
  for (const Json& task : array_at(job, tasks)) {
    std::size_t index = 0;
    for (const Json& replica : array_at(task, "replicas")) {
      ReplicaState state;
      state.replica = fmt::format("{}-{}", string_at(task, "type"), index++);
      state.pod = string_at(replica, "name");
      state.phase = string_at(replica, "phase");
      state.restarts = int_at(replica, "restarts");
      for (const Json& container : array_at(replica, "containers")) {
        if (find(container, "exitCode") == nullptr) continue;
        if (!state.exit_code || *state.exit_code == 0)
          state.exit_code = int_at(container, "exitCode");
      }
      if (const ObjectPtr* pod = find_pod(pods, state.pod)) add_pod_facts(state, (*pod)->body());
      known.push_back(state.pod);
      states.push_back(std::move(state));
    }
  }
  for (const ObjectPtr& pod : pods) {
    const Json& body = pod->body();
    if (std::find(known.begin(), known.end(), name_of(body)) != known.end()) continue;
    ReplicaState state;
    state.pod = name_of(body);
    const Json* labels = find(body, "metadata.labels");
    state.replica = labels == nullptr ? "" : replica_of(*labels);
    if (state.replica.empty()) state.replica = state.pod;
    add_pod_facts(state, body);
    states.push_back(std::move(state));
  }
  return states;
}

std::string replica_summary(const Json& job) {
  std::string text;
  const auto add = [&](std::string_view type, std::int64_t up, std::int64_t all) {
    text += fmt::format("{}{}: {}/{}", text.empty() ? "" : ", ", type, up, all);
  };
  for (const Json& task : array_at(job, "status.tasks")) {
    const JsonArray& replicas = array_at(task, "replicas");
    const auto up = std::count_if(replicas.begin(), replicas.end(), [](const Json& replica) {
      // Of a pod that has ended and is gone, only how it ended is known.
      const std::string_view ended = string_at(replica, "endedAs");
      const std::string_view phase = ended.empty() ? string_at(replica, "phase") : ended;
      return phase == "Running" || phase == "Succeeded";
    });
    add(string_at(task, "type"), up, static_cast<std::int64_t>(replicas.size()));
  }
  if (!text.empty()) return text;
  const JsonObject& statuses = object_at(job, "status.replicaStatuses");
  for (const ReplicaGroup& group : replica_groups(job)) {
    const Json* status = statuses.if_contains(group.type);
    add(group.type,
        status == nullptr ? 0 : int_at(*status, "active") + int_at(*status, "succeeded"),
        group.replicas);
  }
  return text.empty() ? "-" : text;
}

std::string explanation(const Json& job) {
  if (const std::string cause = jobs::short_cause(job); !cause.empty()) return cause;
  for (const char* type : {"Failed", "ReplicaFailure"}) {
    if (has_condition(job, type))
      return std::string(string_at(*find_condition(job, type), "message"));
  }
  return stall_of(job);
}

std::string stall_of(const Json& job) {
  if (job_has_ended(job)) return {};
  for (const char* list : {"status.conditions", "status.trainyard.conditions"}) {
    for (const char* type : {"Stalled", "Straggling"}) {
      const Json* condition = find_condition(array_at(job, list), type);
      if (condition == nullptr || string_at(*condition, "status") != "True") continue;
      return std::string(string_at(*condition, "message"));
    }
  }
  return {};
}

std::string waiting_reason(const std::vector<ObjectPtr>& pods) {
  for (const ObjectPtr& pod : pods) {
    const Json& body = pod->body();
    const Json* placed = find_condition(body, "PodScheduled");
    if (placed != nullptr && string_at(*placed, "status") == "False") {
      return fmt::format("{} waits to be placed: {}", name_of(body), string_at(*placed, "message"));
    }
    for (const Json& container : array_at(body, "status.containerStatuses")) {
      const std::string_view message = string_at(container, "state.waiting.message");
      if (!message.empty()) return fmt::format("{} waits to start: {}", name_of(body), message);
    }
  }
  return {};
}

const ReplicaState* first_failure(const std::vector<ReplicaState>& states) {
  // Times are whole seconds: of several in one, those that a signal ended were rather stopped
  // because of the other.
  const auto rank = [](const ReplicaState& state) {
    return std::tuple(state.ended.empty(), state.ended, *state.exit_code > 128);
  };
  const ReplicaState* first = nullptr;
  for (const ReplicaState& state : states) {
    if (!state.exit_code || *state.exit_code == 0) continue;
    if (first == nullptr || rank(state) < rank(*first)) first = &state;
  }
  return first;
}

std::string age_of(const Json& object, WallTime now) {
  const auto created = parse_time(string_at(object, "metadata.creationTimestamp"));
  if (!created) return "<unknown>";
  return format_age(std::chrono::duration_cast<std::chrono::seconds>(now - *created));
}

std::string duration_of(const Json& job, WallTime now) {
  const auto started = parse_time(string_at(job, "status.startTime"));
  if (!started) return "-";
  const auto ended = parse_time(string_at(job, "status.completionTime"));
  return format_age(
      std::chrono::duration_cast<std::chrono::seconds>((ended ? *ended : now) - *started));
}

}  // namespace trainyard::cli
