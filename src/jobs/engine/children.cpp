#include "jobs/engine/children.h"

#include "jobs/engine/names.h"

namespace trainyard::jobs {
namespace {

Json child(const Json& job, const char* api_version, const char* kind, const std::string& name) {
  return {{"apiVersion", api_version},
          {"kind", kind},
          {"metadata",
           {{"name", name},
            {"namespace", namespace_of(job)},
            {"labels", {{kOwnerNameLabel, name_of(job)}}},
            {"ownerReferences", JsonArray{owner_reference(job)}}}}};
}

}  // namespace

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
  if (observed.replica.rank == 0) labels.get_object()[kJobRoleLabel] = "master";
  Json& annotations = make_path(pod, "metadata.annotations");
  if (!annotations.is_object()) annotations = JsonObject();
  annotations.get_object()[kRestartsAnnotation] = std::to_string(observed.restarts);
  annotations.get_object()[kGroupAnnotation] = name_of(job);
  make_path(pod, "spec.restartPolicy") = "Never";  // the engine replaces pods, nobody else
  make_path(pod, "spec.hostname") = observed.name;
  make_path(pod, "spec.subdomain") = service_name(job);
}

Json make_service(const Json& job) {
  Json service = child(job, "v1", "Service", service_name(job));
  service.get_object()["spec"] = JsonObject{{"clusterIP", "None"},
                                            {"publishNotReadyAddresses", true},
                                            {"selector", {{kOwnerNameLabel, name_of(job)}}}};
  return service;
}

Json make_pod_group(const Json& job, const JobForm& form) {
  Json group = child(job, "scheduling.volcano.sh/v1beta1", "PodGroup", std::string(name_of(job)));
  group.get_object()["spec"] =
      JsonObject{{"minMember", form.total_replicas()},
                 {"queue", string_at(job, "spec.scheduler.t9kScheduler.queue", "default")}};
  // Volcano knows classes of priorities only.
  const std::int64_t priority = int_at(job, "spec.scheduler.t9kScheduler.priority");
  if (priority > 0) {
    make_path(group, "metadata.annotations") =
        JsonObject{{kPriorityAnnotation, std::to_string(priority)}};
  }
  return group;
}

}  // namespace trainyard::jobs
