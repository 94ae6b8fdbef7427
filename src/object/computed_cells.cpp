#include "object/computed_cells.h"

#include "object/metadata.h"

#include <fmt/format.h>

namespace trainyard {
namespace {

std::string age_of(std::string_view time, WallTime now) {
  const auto parsed = parse_time(time);
  if (!parsed) return "<unknown>";
  return format_age(std::chrono::duration_cast<std::chrono::seconds>(now - *parsed));
}

std::string pod_ready(const Json& pod) {
  std::size_t ready = 0;
  for (const Json& status : array_at(pod, "status.containerStatuses")) {
    ready += bool_at(status, "ready") ? 1 : 0;
  }
  return fmt::format("{}/{}", ready, array_at(pod, "spec.containers").size());
}

bool is_ready(const Json& pod) {
  for (const Json& condition : array_at(pod, "status.conditions")) {
    if (string_at(condition, "type") == "Ready") return string_at(condition, "status") == "True";
  }
  return false;
}

std::int64_t pod_restarts(const Json& pod) {
  std::int64_t restarts = 0;
  for (const Json& status : array_at(pod, "status.containerStatuses")) {
    restarts += int_at(status, "restartCount");
  }
  return restarts;
}

std::string node_status(const Json& node) {
  std::string word = "Unknown";
  for (const Json& condition : array_at(node, "status.conditions")) {
    if (string_at(condition, "type") == "Ready") {
      word = string_at(condition, "status") == "True" ? "Ready" : "NotReady";
    }
  }
  return bool_at(node, "spec.unschedulable") ? word + ",SchedulingDisabled" : word;
}

std::string service_ports(const Json& service) {
  std::string text;
  for (const Json& port : array_at(service, "spec.ports")) {
    const std::int64_t node_port = int_at(port, "nodePort");
    text += fmt::format("{}{}{}/{}", text.empty() ? "" : ",", int_at(port, "port"),
                        node_port == 0 ? "" : fmt::format(":{}", node_port),
                        string_at(port, "protocol", "TCP"));
  }
  return text.empty() ? "<none>" : text;
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

}  // namespace

std::string pod_status_word(const Json& pod) {
  std::string word(string_at(pod, "status.phase", "Pending"));
  if (const std::string_view reason = string_at(pod, "status.reason"); !reason.empty()) {
    word = reason;
  }
  const JsonArray& statuses = array_at(pod, "status.containerStatuses");
  bool running = false;
  // Backwards, so that the first container has the last word.
  for (auto status = statuses.rbegin(); status != statuses.rend(); ++status) {
    if (const auto reason = string_at(*status, "state.waiting.reason"); !reason.empty()) {
      word = reason;
    } else if (const auto ended = string_at(*status, "state.terminated.reason"); !ended.empty()) {
      word = ended;
    } else if (find(*status, "state.terminated") != nullptr) {
      const std::int64_t signal = int_at(*status, "state.terminated.signal");
      word = signal != 0 ? fmt::format("Signal:{}", signal)
                         : fmt::format("ExitCode:{}", int_at(*status, "state.terminated.exitCode"));
    } else if (bool_at(*status, "ready") && find(*status, "state.running") != nullptr) {
      running = true;
    }
  }
  if (word == "Completed" && running) word = is_ready(pod) ? "Running" : "NotReady";
  const std::string_view phase = string_at(pod, "status.phase");
  if (is_being_deleted(pod) && phase != "Succeeded" && phase != "Failed") return "Terminating";
  return word;
}

Json computed_cell(std::string_view name, const Json& object, WallTime now) {
  if (name == "@pod-ready") return Json(pod_ready(object));
  if (name == "@pod-status") return Json(pod_status_word(object));
  if (name == "@pod-restarts") return pod_restarts(object);
  if (name == "@node-status") return Json(node_status(object));
  if (name == "@service-ports") return Json(service_ports(object));
  if (name == "@event-object") {
    return Json(fmt::format("{}/{}", lower(string_at(object, "involvedObject.kind")),
                            string_at(object, "involvedObject.name")));
  }
  if (name == "@event-age") {
    const std::string_view last = string_at(object, "lastTimestamp");
    return Json(age_of(last.empty() ? string_at(object, "metadata.creationTimestamp") : last, now));
  }
  return nullptr;
}

}  // namespace trainyard
