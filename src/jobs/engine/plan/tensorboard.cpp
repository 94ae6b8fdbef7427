#include "jobs/engine/plan/tensorboard.h"

#include "jobs/engine/form/names.h"
#include "jobs/engine/plan/children.h"
#include "object/values/status.h"

#include <fmt/format.h>

namespace trainyard::jobs {
namespace {

constexpr const char* kApiVersion = "tensorstack.dev/v1beta1";

struct Readiness {
  bool ready = false;
  bool warning = false;
  const char* action = "NOP";
  const char* reason = "";
  std::string note;
};

Readiness readiness_of(const Draft& draft, const std::string& name) {
  if (draft.plan.create_tensorboard) {
    return {false, false, "Create", "DependentCreating",
            fmt::format("TensorBoard [{}] is being created", name)};
  }
  if (draft.view.tensorboard == nullptr) {
    return {false, false, "NOP", "DependentMissing",
            fmt::format("TensorBoard [{}] does not exist", name)};
  }
  const Json& board = draft.view.tensorboard->body();
  if (has_condition(board, "Ready")) {
    return {true, false, "NOP", "DependentReady", fmt::format("TensorBoard [{}] is ready", name)};
  }
  const std::string_view phase = string_at(board, "status.phase");
  if (has_condition(board, "Suspended") || phase == "Suspended") {
    return {false, false, "NOP", "DependentSuspended",
            fmt::format("TensorBoard [{}] is suspended", name)};
  }
  const Json* ready = find_condition(board, "Ready");
  const std::string_view why = ready == nullptr ? "" : string_at(*ready, "message");
  return {false, phase == "Failed", "NOP", "DependentNotReady",
          fmt::format("TensorBoard [{}] is not ready{}{}", name, why.empty() ? "" : ": ", why)};
}

}  // namespace

bool wants_tensorboard(const Json& job) {
  const Json* spec = find(job, "spec.tensorboardSpec");
  return spec != nullptr && spec->is_object();
}

std::string tensorboard_name(const Json& job) {
  return service_name(job);
}

void make_tensorboard(Draft& draft) {
  if (!wants_tensorboard(draft.job) || draft.view.tensorboard != nullptr) return;
  Json board = make_child(draft.job, kApiVersion, "TensorBoard", tensorboard_name(draft.job));
  board.get_object()["spec"] = *find(draft.job, "spec.tensorboardSpec");
  draft.plan.create_tensorboard = std::move(board);
}

void mirror_tensorboard(Draft& draft) {
  if (!wants_tensorboard(draft.job)) return;
  const std::string name = tensorboard_name(draft.job);
  const Readiness now = readiness_of(draft, name);
  JsonObject dependent{{"apiVersion", kApiVersion},
                       {"kind", "TensorBoard"},
                       {"name", name},
                       {"namespace", namespace_of(draft.job)}};
  if (draft.view.tensorboard != nullptr) dependent["uid"] = uid_of(draft.view.tensorboard->body());
  draft.status.get_object()["tensorboard"] =
      JsonObject{{"action", now.action}, {"dependent", std::move(dependent)},
                 {"note", now.note},     {"ready", now.ready},
                 {"reason", now.reason}, {"type", now.warning ? "Warning" : "Normal"}};
}

}  // namespace trainyard::jobs
