#include "node/pod_status.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::node {
namespace {

using Phase = RunState::Phase;

/// The shim writes nanoseconds, Kubernetes shows seconds.
Json whole_seconds(const std::string& time) {
  const auto parsed = parse_time(time);
  if (!parsed) return nullptr;
  return Json(format_time(*parsed));
}

JsonObject state_of(const ContainerView& view) {
  switch (view.state.phase) {
    case Phase::kRunning:
      return {{"running", {{"startedAt", whole_seconds(view.state.started)}}}};
    case Phase::kEnded: {
      JsonObject ended{{"exitCode", view.state.exit_code},
                       {"reason", view.state.reason},
                       {"startedAt", whole_seconds(view.state.started)},
                       {"finishedAt", whole_seconds(view.state.finished)}};
      if (view.state.signal != 0) ended["signal"] = view.state.signal;
      if (!view.state.message.empty()) ended["message"] = view.state.message;
      return {{"terminated", std::move(ended)}};
    }
    case Phase::kAbsent:
    case Phase::kStarting:
      break;
  }
  JsonObject waiting{
      {"reason", view.waiting_reason.empty() ? "ContainerCreating" : view.waiting_reason}};
  if (!view.waiting_message.empty()) waiting["message"] = view.waiting_message;
  return {{"waiting", std::move(waiting)}};
}

bool has_succeeded(const ContainerView& view) {
  return view.state.phase == Phase::kEnded && view.state.exit_code == 0;
}

Json container_status(const ContainerView& view) {
  const bool running = view.state.phase == Phase::kRunning;
  return {{"name", view.name},      {"image", view.image},
          {"imageID", ""},          {"ready", view.init ? has_succeeded(view) : running},
          {"started", running},     {"restartCount", view.restarts},
          {"state", state_of(view)}};
}

const char* phase_of(const std::vector<ContainerView>& containers,
                     const std::vector<ContainerView>& init_containers) {
  for (const ContainerView& view : init_containers) {
    if (has_succeeded(view)) continue;
    // What comes after a failed init container never runs.
    const bool failed = view.state.phase == Phase::kEnded && !view.will_run_again;
    return failed ? "Failed" : "Pending";
  }
  const auto any = [&](auto test) {
    return std::any_of(containers.begin(), containers.end(), test);
  };
  const bool all_over = !any([](const ContainerView& view) {
    return view.state.phase != Phase::kEnded || view.will_run_again;
  });
  if (all_over) {
    return any([](const ContainerView& view) { return view.state.exit_code != 0; }) ? "Failed"
                                                                                    : "Succeeded";
  }
  // Every container has started once: from then on the pod runs, also while one waits to restart.
  const bool all_begun = !any([](const ContainerView& view) {
    const bool begun = view.state.phase == Phase::kRunning || view.state.phase == Phase::kEnded;
    return !begun && view.restarts == 0;
  });
  return all_begun ? "Running" : "Pending";
}

Json condition(const Json& before, const char* type, bool value, WallTime now) {
  const char* word = value ? "True" : "False";
  std::string since = format_time(now);
  for (const Json& old : array_at(before, "conditions")) {
    if (string_at(old, "type") == type && string_at(old, "status") == word) {
      since = string_at(old, "lastTransitionTime", since);
    }
  }
  return {{"type", type}, {"status", word}, {"lastTransitionTime", since}};
}

}  // namespace

Json make_pod_status(const std::vector<ContainerView>& views, const std::string& pod_ip,
                     const Json& before, WallTime now) {
  std::vector<ContainerView> containers;
  std::vector<ContainerView> init_containers;
  for (const ContainerView& view : views) {
    (view.init ? init_containers : containers).push_back(view);
  }
  JsonArray statuses;
  bool ready = !containers.empty();
  for (const ContainerView& view : containers) {
    statuses.push_back(container_status(view));
    ready = ready && view.state.phase == Phase::kRunning;
  }
  const bool initialized =
      std::all_of(init_containers.begin(), init_containers.end(), has_succeeded);
  JsonObject status{{"phase", phase_of(containers, init_containers)},
                    {"podIP", pod_ip},
                    {"podIPs", JsonArray{{{"ip", pod_ip}}}},
                    {"hostIP", "127.0.0.1"},
                    {"startTime", string_at(before, "startTime", format_time(now))},
                    {"containerStatuses", std::move(statuses)},
                    {"conditions", JsonArray{condition(before, "PodScheduled", true, now),
                                             condition(before, "Initialized", initialized, now),
                                             condition(before, "ContainersReady", ready, now),
                                             condition(before, "Ready", ready, now)}}};
  if (!init_containers.empty()) {
    JsonArray init_statuses;
    for (const ContainerView& view : init_containers) {
      init_statuses.push_back(container_status(view));
    }
    status["initContainerStatuses"] = std::move(init_statuses);
  }
  // A reboot ended all containers alike; say so on the pod, where people look first.
  for (const ContainerView& view : views) {
    if (view.state.reason == "NodeRebooted") {
      status["reason"] = view.state.reason;
      status["message"] = view.state.message;
    }
  }
  return status;
}

}  // namespace trainyard::node
