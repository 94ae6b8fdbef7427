#include "workloads/apps/pods.h"

#include "object/values/status.h"
#include "workloads/conditions.h"

#include <charconv>
#include <string>
#include <tuple>

namespace trainyard::workloads {
namespace {

constexpr const char* kDeletionCost = "controller.kubernetes.io/pod-deletion-cost";
constexpr std::size_t kLongestPrefix = 58;  // with its random suffix a name fits a host name

int phase_rank(const Json& pod) {
  const std::string_view phase = string_at(pod, "status.phase");
  if (phase == "Running") return 2;
  return phase == "Unknown" ? 1 : 0;
}

std::int64_t deletion_cost(const Json& pod) {
  const std::string_view text = annotation_of(pod, kDeletionCost);
  std::int64_t cost = 0;
  std::from_chars(text.data(), text.data() + text.size(), cost);
  return cost;
}

std::string_view ready_since(const Json& pod) {
  const Json* ready = find_condition(pod, "Ready");
  return ready == nullptr ? std::string_view() : string_at(*ready, "lastTransitionTime");
}

std::int64_t restarts(const Json& pod) {
  std::int64_t most = 0;
  for (const Json& container : array_at(pod, "status.containerStatuses")) {
    most = std::max(most, int_at(container, "restartCount"));
  }
  return most;
}

}  // namespace

bool is_active_pod(const Json& pod) {
  return !has_ended(pod) && !is_being_deleted(pod);
}

bool is_ready_pod(const Json& pod) {
  return has_condition(pod, "Ready");
}

std::optional<std::chrono::milliseconds> until_available(const Json& pod,
                                                         std::chrono::seconds min_ready,
                                                         WallTime now) {
  if (!is_ready_pod(pod)) return std::nullopt;
  const auto since = parse_time(ready_since(pod));
  if (!since || *since + min_ready <= now) return std::nullopt;
  return std::chrono::ceil<std::chrono::milliseconds>(*since + min_ready - now);
}

bool is_available_pod(const Json& pod, std::chrono::seconds min_ready, WallTime now) {
  return is_ready_pod(pod) && !until_available(pod, min_ready, now);
}

bool goes_before(const Json& a, const Json& b) {
  const auto first = [](const Json& pod) {
    return std::tuple(!string_at(pod, "spec.nodeName").empty(), phase_rank(pod), is_ready_pod(pod),
                      deletion_cost(pod));
  };
  if (first(a) != first(b)) return first(a) < first(b);
  // Times are written so that they order as texts; of the younger there is less to lose.
  if (is_ready_pod(a) && ready_since(a) != ready_since(b)) return ready_since(a) > ready_since(b);
  if (restarts(a) != restarts(b)) return restarts(a) > restarts(b);
  const std::string_view made_a = string_at(a, "metadata.creationTimestamp");
  const std::string_view made_b = string_at(b, "metadata.creationTimestamp");
  if (made_a != made_b) return made_a > made_b;
  return name_of(a) > name_of(b);
}

Json pod_from_template(const Json& pod_template, const Json& owner) {
  std::string prefix(name_of(owner).substr(0, kLongestPrefix - 1));
  prefix += "-";
  JsonObject metadata{{"generateName", std::move(prefix)},
                      {"namespace", namespace_of(owner)},
                      {"ownerReferences", JsonArray{owner_reference(owner)}}};
  for (const char* field : {"labels", "annotations", "finalizers"}) {
    if (const Json* value = find(pod_template, std::string("metadata.") + field)) {
      metadata[field] = *value;
    }
  }
  Json pod{{"apiVersion", "v1"}, {"kind", "Pod"}, {"metadata", std::move(metadata)}};
  pod.get_object()["spec"] = object_at(pod_template, "spec");
  return pod;
}

}  // namespace trainyard::workloads
