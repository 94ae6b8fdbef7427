#include "workloads/apps/replica_set_plan.h"

#include "object/values/selector.h"
#include "workloads/apps/pods.h"
#include "workloads/conditions.h"

#include <algorithm>

namespace trainyard::workloads {
namespace {

std::vector<ObjectPtr> active_pods(const ReplicaSetView& view) {
  std::vector<ObjectPtr> active;
  std::copy_if(view.pods.begin(), view.pods.end(), std::back_inserter(active),
               [](const ObjectPtr& pod) { return is_active_pod(pod->body()); });
  return active;
}

}  // namespace

ReplicaSetPlan plan_replica_set(const ReplicaSetView& view) {
  ReplicaSetPlan plan;
  const Json& set = view.set->body();
  if (is_being_deleted(set)) return plan;
  std::vector<ObjectPtr> active = active_pods(view);
  const auto there = static_cast<std::int64_t>(active.size());
  const std::int64_t wanted = int_at(set, "spec.replicas", 1);
  if (there <= wanted) {
    const std::int64_t waiting = std::count_if(
        active.begin(), active.end(),
        [](const ObjectPtr& pod) { return string_at(pod->body(), "spec.nodeName").empty(); });
    plan.create = std::clamp<std::int64_t>(kBurst - waiting, 0, wanted - there);
    return plan;
  }
  std::sort(active.begin(), active.end(), [](const ObjectPtr& a, const ObjectPtr& b) {
    return goes_before(a->body(), b->body());
  });
  active.resize(static_cast<std::size_t>(std::min(there - wanted, kBurst)));
  plan.remove = std::move(active);
  return plan;
}

ReplicaSetStatus replica_set_status(const ReplicaSetView& view,
                                    const std::optional<ReplicaSetFailure>& failure) {
  const Json& set = view.set->body();
  const std::chrono::seconds min_ready(int_at(set, "spec.minReadySeconds"));
  const LabelSelector labels =
      LabelSelector::from_labels(object_at(set, "spec.template.metadata.labels"));
  ReplicaSetStatus result;
  std::int64_t replicas = 0;
  std::int64_t labelled = 0;
  std::int64_t ready = 0;
  std::int64_t available = 0;
  for (const ObjectPtr& pod : active_pods(view)) {
    const Json& body = pod->body();
    ++replicas;
    labelled += labels.matches(body) ? 1 : 0;
    ready += is_ready_pod(body) ? 1 : 0;
    available += is_available_pod(body, min_ready, view.now) ? 1 : 0;
    const auto wait = until_available(body, min_ready, view.now);
    if (wait && (!result.look_again || *wait < *result.look_again)) result.look_again = wait;
  }
  JsonArray conditions = array_at(set, "status.conditions");
  if (failure) {
    set_condition(conditions,
                  Condition{"ReplicaFailure", "True", failure->reason, failure->message}, view.now);
  } else {
    remove_condition(conditions, "ReplicaFailure");
  }
  JsonObject status{{"replicas", replicas}};
  if (labelled > 0) status["fullyLabeledReplicas"] = labelled;
  if (ready > 0) status["readyReplicas"] = ready;
  if (available > 0) status["availableReplicas"] = available;
  status["observedGeneration"] = int_at(set, "metadata.generation");
  if (!conditions.empty()) status["conditions"] = std::move(conditions);
  result.status = std::move(status);
  return result;
}

}  // namespace trainyard::workloads
