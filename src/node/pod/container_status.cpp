#include "node/pod/container_status.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::node {
namespace {

/// Where a container runs whose image is none that this machine has.
constexpr const char* kHostImage = "trainyard://host";

/// Kubernetes shows whole seconds; what is not known is left out.
void put_time(JsonObject& object, const char* name, const std::optional<WallTime>& time) {
  if (time) object[name] = format_time(*time);
}

JsonObject terminated(const RunState& run, const std::string& id) {
  JsonObject ended{{"exitCode", run.exit_code}, {"reason", run.reason}, {"containerID", id}};
  put_time(ended, "startedAt", run.started);
  put_time(ended, "finishedAt", run.finished);
  if (run.signal != 0) ended["signal"] = run.signal;
  if (!run.message.empty()) ended["message"] = run.message;
  return {{"terminated", std::move(ended)}};
}

JsonObject waiting(const std::string& reason, const std::string& message) {
  JsonObject words{{"reason", reason}};
  if (!message.empty()) words["message"] = message;
  return {{"waiting", std::move(words)}};
}

std::string default_reason(const PodView& pod) {
  const bool has_init =
      std::any_of(pod.containers.begin(), pod.containers.end(),
                  [](const auto& container) { return container.role != Role::kMain; });
  return has_init ? "PodInitializing" : "ContainerCreating";
}

/// Its last run has ended, and something keeps it from the next one.
bool waits(const ContainerView& container, const Step& step) {
  return step.again && (step.back_off || !container.hindrance.reason.empty());
}

JsonObject state_of(const PodView& pod, const ContainerView& container, const Step& step,
                    const PodFacts& facts) {
  switch (container.state.phase) {
    case RunState::Phase::kRunning: {
      JsonObject running;
      put_time(running, "startedAt", container.state.started);
      return {{"running", std::move(running)}};
    }
    case RunState::Phase::kEnded:
      if (step.back_off) {
        return waiting("CrashLoopBackOff",
                       fmt::format("back-off {} restarting failed container={} pod={}",
                                   format_pause(*step.back_off), container.name, full_name(facts)));
      }
      if (waits(container, step)) break;
      return terminated(container.state, container_id(facts, container.name, container.number));
    case RunState::Phase::kAbsent:
    case RunState::Phase::kStarting:
      break;
  }
  if (container.hindrance.reason.empty()) return waiting(default_reason(pod), "");
  return waiting(container.hindrance.reason, container.hindrance.message);
}

}  // namespace

std::string format_pause(std::chrono::seconds pause) {
  const auto minutes = std::chrono::duration_cast<std::chrono::minutes>(pause);
  if (minutes.count() == 0) return fmt::format("{}s", pause.count());
  return fmt::format("{}m{}s", minutes.count(), (pause - minutes).count());
}

Json make_container_status(const PodView& pod, const ContainerView& container, const Step& step,
                           const PodFacts& facts) {
  JsonObject status{{"name", container.name},
                    {"state", state_of(pod, container, step, facts)},
                    {"lastState", JsonObject()},
                    {"ready", container.role == Role::kInit ? container.state.has_succeeded()
                                                            : container.ready()},
                    {"restartCount", container.number},
                    {"image", container.image},
                    {"imageID", ""},
                    {"started", container.started()}};
  const bool exists = container.state.phase != RunState::Phase::kAbsent;
  if (exists && waits(container, step)) {
    status["lastState"] =
        terminated(container.state, container_id(facts, container.name, container.number));
  } else if (container.last) {
    status["lastState"] =
        terminated(*container.last, container_id(facts, container.name, container.number - 1));
  }
  if (exists || container.number > 0) {
    status["imageID"] = kHostImage;
    status["containerID"] =
        container_id(facts, container.name, exists ? container.number : container.number - 1);
  }
  return status;
}

}  // namespace trainyard::node
