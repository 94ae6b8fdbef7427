#include "node/pod/pod_status.h"

#include "node/pod/container_status.h"
#include "node/pod/pod_conditions.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::node {
namespace {

/// What the pod as a whole has to say about its end.
void put_reason(const PodView& view, const PodPlan& plan, JsonObject& status) {
  if (plan.deadline_passed) {
    status["reason"] = "DeadlineExceeded";
    status["message"] = "Pod was active on the node longer than the specified deadline";
    return;
  }
  // A reboot ended all containers alike; say so on the pod, where people look first.
  for (const ContainerView& container : view.containers) {
    if (container.state.reason == "NodeRebooted") {
      status["reason"] = container.state.reason;
      status["message"] = container.state.message;
    }
  }
}

bool any_main(const PodView& view, auto test) {
  return std::any_of(view.containers.begin(), view.containers.end(), [&](const auto& container) {
    return container.role == Role::kMain && test(container);
  });
}

}  // namespace

const char* phase_of(const PodView& view, const PodPlan& plan) {
  if (plan.over) {
    const bool failed = plan.deadline_passed || any_main(view, [](const ContainerView& container) {
                          return !container.state.has_succeeded();
                        });
    return failed ? "Failed" : "Succeeded";
  }
  if (!plan.initialized) return "Pending";
  // Every container has started once: from then on the pod runs, also while one waits to restart.
  const bool any_new = any_main(view, [](const ContainerView& container) {
    return container.number == 0 && !container.state.runs() && !container.state.has_ended();
  });
  return any_new ? "Pending" : "Running";
}

Json make_pod_status(const PodView& view, const PodPlan& plan, const PodFacts& facts,
                     const Json& before, const JsonArray& readiness_gates, WallTime now) {
  JsonObject status{
      {"phase", phase_of(view, plan)},
      {"conditions", make_conditions(view, plan, facts, before, readiness_gates, now)},
      {"hostIP", facts.host_ip},
      {"hostIPs", JsonArray{{{"ip", facts.host_ip}}}},
      {"startTime", string_at(before, "startTime", format_time(now))}};
  if (!facts.pod_ip.empty()) {
    status["podIP"] = facts.pod_ip;
    status["podIPs"] = JsonArray{{{"ip", facts.pod_ip}}};
  }
  put_reason(view, plan, status);
  JsonArray init_statuses;
  JsonArray statuses;
  for (std::size_t i = 0; i < view.containers.size(); ++i) {
    const ContainerView& container = view.containers[i];
    (container.role == Role::kMain ? statuses : init_statuses)
        .push_back(make_container_status(view, container, plan.steps[i], facts));
  }
  if (!init_statuses.empty()) status["initContainerStatuses"] = std::move(init_statuses);
  status["containerStatuses"] = std::move(statuses);
  return status;
}

}  // namespace trainyard::node
