#include "object/table/pod_cells.h"

#include "object/table/computed_cells.h"
#include "object/values/metadata.h"
#include "object/values/status.h"

#include <fmt/format.h>

namespace trainyard {
namespace {

/// What kubectl's row of a pod says, gathered in one walk through its containers.
struct Summary {
  std::string word;
  std::size_t ready = 0;
  std::size_t total = 0;
  std::int64_t restarts = 0;
  std::string last_restart;  // times of one form compare as texts
};

/// An init container that goes on beside the others.
bool is_sidecar(const Json& pod, std::string_view name) {
  for (const Json& container : array_at(pod, "spec.initContainers")) {
    if (string_at(container, "name") == name) {
      return string_at(container, "restartPolicy") == "Always";
    }
  }
  return false;
}

void count_restarts(const Json& status, Summary& summary) {
  summary.restarts += int_at(status, "restartCount");
  const std::string_view ended = string_at(status, "lastState.terminated.finishedAt");
  if (ended > summary.last_restart) summary.last_restart = ended;
}

/// Why a container ended: its reason, or else its signal or exit code.
std::string end_word(const Json& status) {
  if (const auto reason = string_at(status, "state.terminated.reason"); !reason.empty()) {
    return std::string(reason);
  }
  const std::int64_t signal = int_at(status, "state.terminated.signal");
  return signal != 0 ? fmt::format("Signal:{}", signal)
                     : fmt::format("ExitCode:{}", int_at(status, "state.terminated.exitCode"));
}

/// The word for an init container that holds up the pod; empty when it does not.
std::string init_word(const Json& pod, const Json& status, std::size_t index) {
  const Json* ended = find(status, "state.terminated");
  if (ended != nullptr && int_at(*ended, "exitCode") == 0) return {};
  if (is_sidecar(pod, string_at(status, "name")) && bool_at(status, "started")) return {};
  if (ended != nullptr) return "Init:" + end_word(status);
  const std::string_view waits = string_at(status, "state.waiting.reason");
  if (!waits.empty() && waits != "PodInitializing") return fmt::format("Init:{}", waits);
  return fmt::format("Init:{}/{}", index, array_at(pod, "spec.initContainers").size());
}

/// True when an init container holds up the pod; it then has the word.
bool add_init_containers(const Json& pod, Summary& all, Summary& sidecars) {
  const JsonArray& statuses = array_at(pod, "status.initContainerStatuses");
  for (std::size_t i = 0; i < statuses.size(); ++i) {
    const bool sidecar = is_sidecar(pod, string_at(statuses[i], "name"));
    count_restarts(statuses[i], all);
    if (sidecar) count_restarts(statuses[i], sidecars);
    std::string word = init_word(pod, statuses[i], i);
    if (!word.empty()) {
      all.word = std::move(word);
      return true;
    }
    if (sidecar && bool_at(statuses[i], "ready") && bool_at(statuses[i], "started")) ++all.ready;
  }
  return false;
}

void add_containers(const Json& pod, Summary& summary) {
  const JsonArray& statuses = array_at(pod, "status.containerStatuses");
  bool running = false;
  // Backwards, so that the first container has the last word.
  for (auto status = statuses.rbegin(); status != statuses.rend(); ++status) {
    count_restarts(*status, summary);
    if (const auto reason = string_at(*status, "state.waiting.reason"); !reason.empty()) {
      summary.word = reason;
    } else if (find(*status, "state.terminated") != nullptr) {
      summary.word = end_word(*status);
    } else if (bool_at(*status, "ready") && find(*status, "state.running") != nullptr) {
      running = true;
      ++summary.ready;
    }
  }
  if (summary.word == "Completed" && running) {
    summary.word = has_condition(pod, "Ready") ? "Running" : "NotReady";
  }
}

std::string word_without_containers(const Json& pod) {
  std::string word(string_at(pod, "status.phase", "Pending"));
  if (const auto reason = string_at(pod, "status.reason"); !reason.empty()) word = reason;
  const Json* placed = find_condition(pod, "PodScheduled");
  if (placed != nullptr && string_at(*placed, "reason") == "SchedulingGated") {
    word = "SchedulingGated";
  }
  return word;
}

Summary summarize(const Json& pod) {
  Summary summary;
  summary.word = word_without_containers(pod);
  summary.total = array_at(pod, "spec.containers").size();
  for (const Json& container : array_at(pod, "spec.initContainers")) {
    if (string_at(container, "restartPolicy") == "Always") ++summary.total;
  }
  Summary sidecars;
  const bool initializing = add_init_containers(pod, summary, sidecars);
  if (!initializing || has_condition(pod, "Initialized")) {
    summary.restarts = sidecars.restarts;
    summary.last_restart = sidecars.last_restart;
    add_containers(pod, summary);
  }
  if (is_being_deleted(pod) && string_at(pod, "status.reason") == "NodeLost") {
    summary.word = "Unknown";
  } else if (is_being_deleted(pod) && !has_ended(pod)) {
    summary.word = "Terminating";
  }
  return summary;
}

}  // namespace

std::string pod_status_word(const Json& pod) {
  return summarize(pod).word;
}

std::string pod_ready_text(const Json& pod) {
  const Summary summary = summarize(pod);
  return fmt::format("{}/{}", summary.ready, summary.total);
}

std::string pod_restarts_text(const Json& pod, WallTime now) {
  const Summary summary = summarize(pod);
  if (summary.restarts == 0 || summary.last_restart.empty()) {
    return fmt::format("{}", summary.restarts);
  }
  return fmt::format("{} ({} ago)", summary.restarts, age_text(summary.last_restart, now));
}

std::string pod_gates_text(const Json& pod) {
  const JsonArray& gates = array_at(pod, "spec.readinessGates");
  if (gates.empty()) return "<none>";
  std::size_t open = 0;
  for (const Json& gate : gates) {
    open += has_condition(pod, string_at(gate, "conditionType")) ? 1 : 0;
  }
  return fmt::format("{}/{}", open, gates.size());
}

}  // namespace trainyard
