#include "jobs/engine/plan/pause.h"

#include "jobs/engine/plan/progress.h"
#include "object/values/status.h"

#include <algorithm>

namespace trainyard::jobs {
namespace {

constexpr const char* kHeld = "The job is paused: spec.runMode.pause.enabled is true.";
constexpr const char* kGoesOn = "The job goes on after a pause.";

/// The deadline's clock stands still during a pause.
void add_pause(Draft& draft) {
  const Json* held = find_condition(array_at(draft.before, "conditions"), "Paused");
  const auto since = parse_time(string_at(*held, "lastTransitionTime"));
  if (!since || string_at(draft.before, "startTime").empty()) return;  // it has never run
  const auto pause = std::chrono::duration_cast<std::chrono::seconds>(draft.view.now - *since);
  draft.status.get_object()["pausedSeconds"] =
      int_at(draft.before, "pausedSeconds") + std::max<std::int64_t>(pause.count(), 0);
}

}  // namespace

void hold(Draft& draft) {
  for (const Observed& one : draft.observed) {
    if (!is_over(one.phase)) draft.remove(one);
    draft.remove_service(one);
  }
  draft.set_phase("Paused");
  draft.set("Running", false, "Paused", kHeld);
  if (draft.was("ReplicaFailure", false)) draft.set("ReplicaFailure", false, "-", kNoneFailed);
  if (!draft.was("Paused", true)) draft.tell("Paused", kHeld);
  draft.set("Paused", true, "Paused", kHeld);
}

void resume(Draft& draft) {
  if (!draft.was("Paused", true)) return;
  if (!draft.form.limits.pause_resets_clock) {
    add_pause(draft);
  } else if (!string_at(draft.before, "startTime").empty()) {
    draft.status.get_object()["startTime"] = format_time(draft.view.now);
  }
  draft.set_phase("Resuming");
  draft.set("Paused", false, "Resumed", kGoesOn);
  draft.tell("Resumed", kGoesOn);
}

}  // namespace trainyard::jobs
