#include "jobs/engine/plan/children.h"

#include "base/words/text.h"
#include "jobs/engine/form/names.h"
#include "jobs/engine/form/run_mode.h"
#include "jobs/engine/plan/progress.h"
#include "jobs/engine/plan/restart.h"
#include "jobs/engine/plan/tensorboard.h"
#include "object/values/status.h"

#include <fmt/format.h>

#include <algorithm>

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

/// Somebody may have deleted what earlier pods had: it is looked after whenever pods are made.
void make_support(Draft& draft) {
  if (draft.plan.create_pods.empty()) return;
  draft.plan.create_support =
      draft.kind.make_support(draft.job, draft.form, leased_port(draft.job));
}

/// Whether the pod of a group that comes last must not come yet.
bool comes_later(const Draft& draft, const Observed& one) {
  if (!draft.group_of(one).comes_last) return false;
  return !std::all_of(draft.observed.begin(), draft.observed.end(), [&](const Observed& other) {
    if (other.surplus || draft.group_of(other).comes_last) return true;
    return other.pod != nullptr && has_condition(other.pod->body(), "Ready");
  });
}

void make_pods(Draft& draft) {
  const std::int64_t port = leased_port(draft.job);
  for (const Observed& one : draft.observed) {
    if (one.phase != PodPhase::kCreating || one.surplus || comes_later(draft, one)) continue;
    Json pod = draft.kind.make_pod(draft.job, draft.form, one.replica, port);
    const ReplicaGroup& group = draft.group_of(one);
    apply_debug(pod, draft.job, group, draft.kind.main_container(),
                draft.kind.debug_command(group));
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
  labels.get_object()[kComponentLabel] = lower(string_at(job, "kind"));
  labels.get_object()[kComponentTypeLabel] = "user";
  labels.get_object()[kReplicaTypeLabel] = form.groups[observed.replica.group].type;
  labels.get_object()[kReplicaIndexLabel] = std::to_string(observed.replica.index);
  if (observed.replica.rank == 0 && form.ends.has_master)
    labels.get_object()[kJobRoleLabel] = "master";
  Json& annotations = make_path(pod, "metadata.annotations");
  if (!annotations.is_object()) annotations = JsonObject();
  annotations.get_object()[kRestartsAnnotation] = std::to_string(observed.restarts);
  annotations.get_object()[kGroupAnnotation] = name_of(job);
  const ReplicaGroup& group = form.groups[observed.replica.group];
  make_path(pod, "spec.restartPolicy") = group.in_place;
  if (!form.naming.plain && !form.naming.hosts) {
    make_path(pod, "spec.hostname") = observed.name;
    make_path(pod, "spec.subdomain") = service_name(job);
  }
  name_scheduler(pod, job, group.type);
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

namespace {

/// A gang that has become smaller must not wait for those that will not come.
void keep_pod_group(Draft& draft) {
  Json group = draft.kind.make_pod_group(draft.job, draft.form);
  const std::int64_t members = int_at(group, "spec.minMember");
  if (!draft.view.has_pod_group) {
    draft.plan.create_pod_group = std::move(group);
  } else if (draft.view.group_members != 0 && draft.view.group_members != members) {
    draft.plan.resize_pod_group = members;
  }
}

}  // namespace

void make_children(Draft& draft) {
  if (!draft.view.refusal.empty()) return;  // it is tried again later
  for (Json& service : draft.kind.make_services(draft.job, draft.form)) {
    if (draft.view.services.contains(std::string(name_of(service)))) continue;
    draft.plan.create_services.push_back(std::move(service));
  }
  keep_pod_group(draft);
  make_tensorboard(draft);
  for (const Observed& one : draft.observed) {
    if (!one.surplus) continue;
    draft.remove(one);
    draft.remove_service(one);
  }
  // A new round begins when it is written down, and when nothing is left of the last.
  const bool new_round = draft.rounds != int_at(draft.before, "backoffCount");
  if (draft.restarts_together() && (new_round || awaits_old_pods(draft))) return;
  make_pods(draft);
  make_support(draft);
  if (string_at(draft.before, "startTime").empty()) {
    draft.status.get_object()["startTime"] = format_time(draft.view.now);
  }
  const bool all_made = draft.plan.create_pods.empty() && draft.plan.create_services.empty() &&
                        !draft.plan.create_pod_group && !draft.plan.create_tensorboard;
  if (all_made && !draft.was("Initialized", true)) {
    const std::string message = "The job has been initialized successfully.";
    draft.set("Initialized", true, "-", message);
    // They do not run yet.
    draft.set("ReplicaFailure", false, "-", kNoneFailed);
    draft.tell("Start", message);
  }
}

}  // namespace trainyard::jobs
