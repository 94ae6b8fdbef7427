#include "workloads/web_apps/app_state.h"

#include "object/values/status.h"
#include "workloads/apps/pods.h"

#include <fmt/format.h>

namespace trainyard::workloads {
namespace {

using Phase = AppState::Phase;

/// How the pod's container ended last, when it does not run now; nullptr when it runs or never ran.
const Json* last_end(const Json& pod) {
  for (const Json& container : array_at(pod, "status.containerStatuses")) {
    if (find(container, "state.running") != nullptr) continue;
    if (const Json* end = find(container, "state.terminated")) return end;
    if (const Json* end = find(container, "lastState.terminated")) return end;
  }
  return nullptr;
}

AppState judge_end(const AppKind& kind, const AppView& view, const Json& end) {
  const std::int64_t code = int_at(end, "exitCode");
  const std::string_view message = string_at(end, "message");
  const JsonArray& containers = array_at(view.pod->body(), "spec.containers");
  const std::string_view image =
      containers.empty() ? std::string_view() : string_at(containers.front(), "image");
  if (string_at(end, "reason") == "StartError" &&
      message.find("executable file not found") != std::string_view::npos) {
    return {Phase::kFailed,
            {"NotInstalled",
             fmt::format("{} is not installed in the environment of the image \"{}\": {} ({})",
                         kind.name(), image, kind.how_to_install(view.image), message)},
            true};
  }
  return {Phase::kFailed,
          {"PodFailed", fmt::format("its program ended with exit code {}{}{}; `kubectl logs -n {} "
                                    "{}` shows its log",
                                    code, message.empty() ? "" : ": ", message,
                                    namespace_of(view.pod->body()), name_of(view.pod->body()))},
          true};
}

/// Why a pod that is there has not started: in its own words.
AppState judge_pending(const Json& pod) {
  for (const Json& container : array_at(pod, "status.containerStatuses")) {
    const std::string_view message = string_at(container, "state.waiting.message");
    if (message.empty()) continue;
    return {Phase::kInitializing,
            {std::string(string_at(container, "state.waiting.reason", "Waiting")),
             std::string(message)},
            true};
  }
  const Json* placed = find_condition(pod, "PodScheduled");
  if (placed != nullptr && string_at(*placed, "status") == "False" &&
      !string_at(*placed, "message").empty()) {
    return {Phase::kInitializing,
            {std::string(string_at(*placed, "reason", "Unschedulable")),
             std::string(string_at(*placed, "message"))},
            true};
  }
  return {Phase::kInitializing, {"Starting", "its pod is about to start"}, false};
}

AppState judge_pod(const AppKind& kind, const AppView& view) {
  const Json& pod = view.pod->body();
  if (is_being_deleted(pod)) {
    return {Phase::kInitializing, {"Restarting", "its pod is replaced"}, false};
  }
  if (is_ready_pod(pod)) {
    return {Phase::kRunning,
            {"Ready", fmt::format("{} [{}] is ready", kind.name(), name_of(view.app->body()))},
            false};
  }
  if (const Json* end = last_end(pod)) return judge_end(kind, view, *end);
  if (string_at(pod, "status.phase") != "Running") return judge_pending(pod);
  return {Phase::kInitializing, {"Starting", "its program has not answered yet"}, false};
}

}  // namespace

const char* to_text(AppState::Phase phase) {
  switch (phase) {
    case Phase::kInitializing:
      return "Initializing";
    case Phase::kRunning:
      return "Running";
    case Phase::kSuspended:
      return "Suspended";
    case Phase::kFailed:
      return "Failed";
  }
  return "";
}

AppState judge_app(const AppKind& kind, const AppForm& form, const AppView& view) {
  if (bool_at(view.app->body(), "spec.suspend")) {
    return {Phase::kSuspended,
            {"Suspended", "it is suspended: setting spec.suspend to false brings it back"},
            false};
  }
  if (form.refusal) return {Phase::kFailed, *form.refusal, true};
  if (!view.missing_claims.empty()) {
    return {
        Phase::kInitializing,
        {"VolumeMissing",
         fmt::format("it waits for the PersistentVolumeClaim {} in the namespace {}, which does "
                     "not exist: `trainyard data create {} -n {}` makes it",
                     fmt::join(view.missing_claims, ", "), namespace_of(view.app->body()),
                     view.missing_claims.front(), namespace_of(view.app->body()))},
        true};
  }
  if (view.pod == nullptr) {
    return {Phase::kInitializing, {"Starting", "its pod is being made"}, false};
  }
  return judge_pod(kind, view);
}

}  // namespace trainyard::workloads
