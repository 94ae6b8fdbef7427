#include "node/pod/pod_view.h"

namespace trainyard::node {
namespace {

RestartPolicy policy_of(const Json& pod) {
  const std::string_view word = string_at(pod, "spec.restartPolicy", "Always");
  if (word == "Never") return RestartPolicy::kNever;
  return word == "OnFailure" ? RestartPolicy::kOnFailure : RestartPolicy::kAlways;
}

ContainerView container_of(const Json& spec, bool init) {
  ContainerView view;
  view.name = string_at(spec, "name");
  view.image = string_at(spec, "image");
  if (init) view.role = string_at(spec, "restartPolicy") == "Always" ? Role::kSidecar : Role::kInit;
  return view;
}

}  // namespace

PodView view_of(const Json& pod) {
  PodView view;
  view.policy = policy_of(pod);
  for (const Json& spec : array_at(pod, "spec.initContainers")) {
    view.containers.push_back(container_of(spec, true));
  }
  for (const Json& spec : array_at(pod, "spec.containers")) {
    view.containers.push_back(container_of(spec, false));
  }
  const std::int64_t seconds = int_at(pod, "spec.activeDeadlineSeconds", -1);
  const auto started = parse_time(string_at(pod, "status.startTime"));
  if (seconds >= 0 && started) view.deadline = *started + std::chrono::seconds(seconds);
  return view;
}

}  // namespace trainyard::node
