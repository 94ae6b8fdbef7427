#include "jobs/engine/children.h"

#include "jobs/engine/names.h"
#include "jobs/engine/restart.h"
#include "jobs/engine/run_mode.h"
#include "jobs/engine/tensorboard.h"

#include <fmt/format.h>

namespace trainyard::jobs {
namespace {

/// The last lines of the log shall be found where the pod ended, here and on a cluster.
void ask_for_last_words(Json& pod) {
  for (const char* list : {"spec.initContainers", "spec.containers"}) {
    Json* containers = find(pod, list);
    if (containers == nullptr || !containers->is_array()) continue;
    for (Json& container : containers->get_array()) {
      if (find(container, "terminationMessagePolicy") == nullptr) {
        container.get_object()["terminationMessagePolicy"] = "FallbackToLogsOnError";
      }
    }
  }
}

/// Jobs that ask for T9k's scheduler.
void name_scheduler(Json& pod, const Json& job, const std::string& type) {
  const Json* policy = find(job, "spec.scheduler.t9kScheduler");
  if (policy == nullptr) return;
  make_path(pod, "spec.schedulerName") = "t9k-scheduler";
  JsonObject& labels = make_path(pod, "metadata.labels").get_object();
  labels[kT9kGroupLabel] = name_of(job);
  labels[kT9kQueueLabel] = string_at(*policy, "queue", "default");
  labels[kT9kRoleLabel] = type;
}

void make_pods(Draft& draft) {
  const std::int64_t port = leased_port(draft.job);
  for (const Observed& one : draft.observed) {
    if (one.phase != "Creating" || one.surplus) continue;
    Json pod = draft.kind.make_pod(draft.job, draft.form, one.replica, port);
    apply_debug(pod, draft.job, draft.group_of(one), draft.kind.main_container());
    complete_pod(pod, draft.job, draft.form, one);
    draft.plan.create_pods.push_back(std::move(pod));
    const Json* memory = remembered(draft.before, one.name);
    const bool first = memory == nullptr || string_at(*memory, "uid").empty();
    draft.tell(
        "NewReplica",
        first ? fmt::format("Create the replica[{}] for the first time.", one.name)
              : fmt::format("Create the replica[{}] again (restart {}).", one.name, one.restarts));
  }
}

}  // namespace

Json make_child(const Json& job, const char* api_version, const char* kind,
                const std::string& name) {
  return {{"apiVersion", api_version},
          {"kind", kind},
          {"metadata",
           {{"name", name},
            {"namespace", namespace_of(job)},
            {"labels", {{kOwnerNameLabel, name_of(job)}}},
            {"ownerReferences", JsonArray{owner_reference(job)}}}}};
}

void complete_pod(Json& pod, const Json& job, const JobForm& form, const Observed& observed) {
  Json& metadata = make_path(pod, "metadata");
  metadata.get_object()["name"] = observed.name;
  metadata.get_object()["namespace"] = namespace_of(job);
  metadata.get_object()["ownerReferences"] = JsonArray{owner_reference(job)};
  Json& labels = make_path(pod, "metadata.labels");
  if (!labels.is_object()) labels = JsonObject();
  labels.get_object()[kOwnerNameLabel] = name_of(job);
  labels.get_object()[kComponentLabel] = in_lower_case(string_at(job, "kind"));
  labels.get_object()[kComponentTypeLabel] = "user";
  labels.get_object()[kReplicaTypeLabel] = form.groups[observed.replica.group].type;
  labels.get_object()[kReplicaIndexLabel] = std::to_string(observed.replica.index);
  if (observed.replica.rank == 0 && form.has_master) labels.get_object()[kJobRoleLabel] = "master";
  Json& annotations = make_path(pod, "metadata.annotations");
  if (!annotations.is_object()) annotations = JsonObject();
  annotations.get_object()[kRestartsAnnotation] = std::to_string(observed.restarts);
  annotations.get_object()[kGroupAnnotation] = name_of(job);
  make_path(pod, "spec.restartPolicy") = "Never";  // the engine replaces pods, nobody else
  make_path(pod, "spec.hostname") = observed.name;
  make_path(pod, "spec.subdomain") = service_name(job);
  name_scheduler(pod, job, form.groups[observed.replica.group].type);
  ask_for_last_words(pod);
}

Json make_headless_service(const Json& job) {
  Json service = make_child(job, "v1", "Service", service_name(job));
  service.get_object()["spec"] = JsonObject{{"clusterIP", "None"},
                                            {"publishNotReadyAddresses", true},
                                            {"selector", {{kOwnerNameLabel, name_of(job)}}}};
  return service;
}

Json make_pod_group(const Json& job, const JobForm& form) {
  Json group =
      make_child(job, "scheduling.volcano.sh/v1beta1", "PodGroup", std::string(name_of(job)));
  group.get_object()["spec"] =
      JsonObject{{"minMember", form.least_replicas.value_or(form.total_replicas())},
                 {"queue", string_at(job, "spec.scheduler.t9kScheduler.queue", "default")}};
  // Volcano knows classes of priorities only.
  const std::int64_t priority = int_at(job, "spec.scheduler.t9kScheduler.priority");
  if (priority > 0) {
    make_path(group, "metadata.annotations") =
        JsonObject{{kPriorityAnnotation, std::to_string(priority)}};
  }
  return group;
}

std::vector<Json> JobKind::make_services(const Json& job, const JobForm& /*form*/) const {
  return {make_headless_service(job)};
}

void make_children(Draft& draft) {
  for (Json& service : draft.kind.make_services(draft.job, draft.form)) {
    if (draft.view.services.contains(std::string(name_of(service)))) continue;
    draft.plan.create_services.push_back(std::move(service));
  }
  if (!draft.view.has_pod_group) {
    draft.plan.create_pod_group = make_pod_group(draft.job, draft.form);
  }
  make_tensorboard(draft);
  for (const Observed& one : draft.observed) {
    if (one.surplus) draft.remove(one);
  }
  // A new round begins when it is written down, and when nothing is left of the last.
  const bool new_round = draft.rounds != int_at(draft.before, "backoffCount");
  if (draft.restarts_together() && (new_round || awaits_old_pods(draft))) return;
  make_pods(draft);
  if (string_at(draft.before, "startTime").empty()) {
    draft.status.get_object()["startTime"] = format_time(draft.view.now);
  }
  const bool all_made = draft.plan.create_pods.empty() && draft.plan.create_services.empty() &&
                        !draft.plan.create_pod_group && !draft.plan.create_tensorboard;
  if (all_made && !draft.was("Initialized", true)) {
    const std::string message = "The job has been initialized successfully.";
    draft.set("Initialized", true, "-", message);
    draft.set("ReplicaFailure", false, "-", "All pods are running normally.");
    draft.tell("Start", message);
  }
}

}  // namespace trainyard::jobs
