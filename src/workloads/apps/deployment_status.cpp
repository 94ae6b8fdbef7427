#include "workloads/apps/deployment_status.h"

#include "object/values/metadata.h"
#include "object/values/status.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::workloads {
namespace {

constexpr const char* kProgressing = "Progressing";
constexpr const char* kDone = "NewReplicaSetAvailable";
constexpr const char* kTimedOut = "ProgressDeadlineExceeded";

std::int64_t sum(const std::vector<const Json*>& sets, const char* field) {
  std::int64_t total = 0;
  for (const Json* set : sets) total += int_at(*set, field);
  return total;
}

JsonObject count(const StatusView& view) {
  const std::int64_t available = sum(view.sets, "status.availableReplicas");
  const std::int64_t updated =
      view.new_set == nullptr ? 0 : int_at(*view.new_set, "status.replicas");
  const std::vector<std::pair<const char*, std::int64_t>> numbers{
      {"replicas", sum(view.sets, "status.replicas")},
      {"updatedReplicas", updated},
      {"readyReplicas", sum(view.sets, "status.readyReplicas")},
      {"availableReplicas", available},
      {"unavailableReplicas", std::max<std::int64_t>(view.wanted_pods - available, 0)},
      {"collisionCount", int_at(view.deployment, "status.collisionCount")}};
  JsonObject status{{"observedGeneration", int_at(view.deployment, "metadata.generation")}};
  for (const auto& [name, number] : numbers) {
    if (number != 0) status[name] = number;
  }
  return status;
}

/// Whether anything got better since the status that the Deployment has.
bool has_progressed(const Json& before, const Json& after) {
  const auto old_pods = [](const Json& status) {
    return int_at(status, "replicas") - int_at(status, "updatedReplicas");
  };
  return int_at(after, "updatedReplicas") > int_at(before, "updatedReplicas") ||
         int_at(after, "readyReplicas") > int_at(before, "readyReplicas") ||
         int_at(after, "availableReplicas") > int_at(before, "availableReplicas") ||
         old_pods(after) < old_pods(before);
}

std::optional<std::chrono::milliseconds> time_left(const StatusView& view, const Json* progress) {
  if (progress == nullptr) return std::nullopt;
  const auto since = parse_time(string_at(*progress, "lastUpdateTime"));
  if (!since) return std::nullopt;
  return std::chrono::ceil<std::chrono::milliseconds>(
      *since + std::chrono::seconds(view.form.deadline) - view.now);
}

void follow_progress(const StatusView& view, const Json& status, JsonArray& conditions,
                     std::optional<std::chrono::milliseconds>& look_again) {
  const Json* now = find_condition(conditions, kProgressing);
  const std::string reason(now == nullptr ? std::string_view() : string_at(*now, "reason"));
  const bool all_new = int_at(status, "replicas") == int_at(status, "updatedReplicas");
  if (reason == kDone && all_new) return;  // a pod that fails later is no failed rollout
  const std::string who = view.new_set == nullptr
                              ? fmt::format("Deployment \"{}\"", name_of(view.deployment))
                              : fmt::format("ReplicaSet \"{}\"", name_of(*view.new_set));
  const auto left = time_left(view, now);
  if (is_complete(view.deployment, view.form, status)) {
    set_dated_condition(conditions,
                        Condition{kProgressing, "True", kDone, who + " has rolled out completely."},
                        view.now, false);
  } else if (has_progressed(object_at(view.deployment, "status"), status)) {
    set_dated_condition(
        conditions, Condition{kProgressing, "True", "ReplicaSetUpdated", who + " is rolling out."},
        view.now, true);
    look_again = std::chrono::seconds(view.form.deadline);
  } else if (reason != kDone && left && (left->count() <= 0 || reason == kTimedOut)) {
    set_dated_condition(
        conditions,
        Condition{kProgressing, "False", kTimedOut,
                  fmt::format("{} has made no progress for {} seconds.", who, view.form.deadline)},
        view.now, false);
  } else if (reason != kDone) {
    look_again = left;
  }
}

void copy_failures(const StatusView& view, JsonArray& conditions) {
  const Json* failure = nullptr;
  for (const Json* set : view.sets) {
    const Json* found = find_condition(*set, "ReplicaFailure");
    if (found != nullptr && (failure == nullptr || set == view.new_set)) failure = found;
  }
  if (failure == nullptr) {
    remove_condition(conditions, "ReplicaFailure");
    return;
  }
  set_dated_condition(conditions,
                      Condition{"ReplicaFailure", std::string(string_at(*failure, "status")),
                                std::string(string_at(*failure, "reason")),
                                std::string(string_at(*failure, "message"))},
                      view.now, false);
}

}  // namespace

void set_dated_condition(JsonArray& conditions, const Condition& condition, WallTime now,
                         bool news) {
  const Json* before = find_condition(conditions, condition.type);
  const bool same_status = before != nullptr && string_at(*before, "status") == condition.status;
  if (same_status && string_at(*before, "reason") == condition.reason && !news) return;
  JsonObject entry{
      {"type", condition.type},
      {"status", condition.status},
      {"lastUpdateTime", format_time(now)},
      {"lastTransitionTime",
       same_status ? std::string(string_at(*before, "lastTransitionTime")) : format_time(now)},
      {"reason", condition.reason},
      {"message", condition.message}};
  remove_condition(conditions, condition.type);
  conditions.push_back(std::move(entry));
}

bool is_complete(const Json& deployment, const RolloutForm& form, const Json& status) {
  return int_at(status, "updatedReplicas") == form.replicas &&
         int_at(status, "replicas") == form.replicas &&
         int_at(status, "availableReplicas") == form.replicas &&
         int_at(status, "observedGeneration") >= int_at(deployment, "metadata.generation");
}

DeploymentStatus deployment_status(const StatusView& view) {
  DeploymentStatus result;
  Json status = count(view);
  JsonArray conditions = array_at(view.deployment, "status.conditions");
  const bool enough =
      int_at(status, "availableReplicas") >= view.form.replicas - view.form.max_unavailable;
  set_dated_condition(conditions,
                      enough ? Condition{"Available", "True", "MinimumReplicasAvailable",
                                         "As many replicas are available as there must be."}
                             : Condition{"Available", "False", "MinimumReplicasUnavailable",
                                         "Fewer replicas are available than there must be."},
                      view.now, false);
  if (view.progress) {
    set_dated_condition(conditions, *view.progress, view.now, true);
    if (view.follows_rollout) result.look_again = std::chrono::seconds(view.form.deadline);
  } else if (view.follows_rollout && view.form.has_deadline) {
    follow_progress(view, status, conditions, result.look_again);
  }
  if (view.follows_rollout) copy_failures(view, conditions);
  if (!conditions.empty()) status.get_object()["conditions"] = std::move(conditions);
  result.status = std::move(status);
  return result;
}

}  // namespace trainyard::workloads
