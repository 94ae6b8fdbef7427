#include "workloads/web_apps/app_kind.h"

#include "base/crypto/ids.h"
#include "object/values/name_suffix.h"

#include <fmt/format.h>

namespace trainyard::workloads {
namespace {

constexpr const char* kOwnerLabel = "tensorstack.dev/owner-name";
constexpr const char* kComponentLabel = "tensorstack.dev/component";
constexpr const char* kQueueLabel = "scheduler.tensorstack.dev/queue";
constexpr const char* kPriorityAnnotation = "trainyard.dev/priority";

void place(const Json& app, JsonObject& annotations, Json& pod) {
  const Json* policy = find(app, "spec.scheduler.t9kScheduler");
  if (policy == nullptr) return;
  make_path(pod, "spec.schedulerName") = "t9k-scheduler";
  find(pod, "metadata.labels")->get_object()[kQueueLabel] = string_at(*policy, "queue", "default");
  const std::int64_t priority = int_at(*policy, "priority");
  if (priority > 0) annotations[kPriorityAnnotation] = std::to_string(priority);
}

}  // namespace

std::string app_pod_name(const AppKind& kind, const Json& app) {
  return fmt::format("managed-{}-{}-0", kind.word(), name_suffix(app));
}

Json app_child(const AppKind& kind, const Json& app, const char* api_version, const char* kind_name,
               const std::string& name) {
  const JsonObject labels{{kOwnerLabel, name_of(app)}, {kComponentLabel, kind.word()}};
  return {{"apiVersion", api_version},
          {"kind", kind_name},
          {"metadata",
           {{"name", name},
            {"namespace", namespace_of(app)},
            {"labels", labels},
            {"ownerReferences", JsonArray{owner_reference(app)}}}}};
}

Json app_pod(const AppKind& kind, const Json& app, JsonObject annotations, Json spec) {
  Json pod = app_child(kind, app, "v1", "Pod", app_pod_name(kind, app));
  pod.get_object()["spec"] = std::move(spec);
  place(app, annotations, pod);
  annotations[kFormAnnotation] =
      fmt::format("{:016x}", fnv1a(to_text(*find(pod, "spec")) + to_text(annotations)));
  make_path(pod, "metadata.annotations") = std::move(annotations);
  return pod;
}

}  // namespace trainyard::workloads
