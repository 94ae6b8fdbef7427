#include "jobs/engine/plan/progress.h"

#include "jobs/engine/form/failure.h"
#include "jobs/engine/form/status.h"
#include "jobs/engine/plan/cause.h"
#include "jobs/engine/plan/judge.h"
#include "object/values/status.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::jobs {
namespace {

constexpr const char* kRefused = "FailedCreate";
constexpr const char* kAllIsWell = "All pods are running normally.";

void report_failures(Draft& draft) {
  for (const Observed& one : draft.observed) {
    if (one.phase != PodPhase::kFailed || one.old || one.surplus) continue;
    draft.set("ReplicaFailure", true, "ErrorInPod", tell_cause(draft, one));
    if (!one.recorded) draft.tell("ReplicaFailed", how_it_ended(one), true);
  }
}

/// The first replica decides the job's end: where its state cannot be read, the job's cannot.
void report_unknown(Draft& draft) {
  if (draft.observed.front().phase == PodPhase::kUnknown) {
    draft.set_phase("Unknown");
  } else if (string_at(draft.status, "phase") == "Unknown") {
    const bool ran = condition_is(draft.status, "Running", true);
    draft.set_phase(ran ? "Running" : (draft.was("Paused", false) ? "Resuming" : "Pending"));
  }
}

/// A quota, a rule or a missing right keeps a pod from being made, or it waits for a place.
Waiting why_not_running(const Draft& draft) {
  if (draft.view.refusal.empty()) return why_waiting(draft.observed);
  return {kRefused, "Error creating: " + draft.view.refusal};
}

/// A job that ran, and now waits for a pod that takes another's place, must not look as if it ran.
void report_waiting_replacement(Draft& draft) {
  const Waiting why = why_not_running(draft);
  const bool failed =
      std::any_of(draft.observed.begin(), draft.observed.end(),
                  [](const Observed& one) { return one.phase == PodPhase::kFailed; });
  if (why.message.empty() || failed || !condition_is(draft.status, "ReplicaFailure", true)) return;
  const JsonArray& noted = array_at(draft.status, "failures");
  if (noted.empty()) return;
  draft.set("ReplicaFailure", true, why.reason,
            fmt::format("{}; its replacement does not run yet: {}",
                        headline_of(read_failure(noted[noted.size() - 1])), why.message));
}

}  // namespace

void begin(Draft& draft) {
  draft.set_phase("Pending");
  draft.set("Completed", false, "NotFinished", "The job is still running.");
  draft.tell("Created", fmt::format("A {} has been created: {}", string_at(draft.job, "kind"),
                                    name_of(draft.job)));
}

void report_progress(Draft& draft) {
  report_failures(draft);
  std::int64_t running = 0;
  bool failing = false;
  for (const Observed& one : draft.observed) {
    const bool going = one.pod != nullptr && is_being_deleted(one.pod->body());
    const bool runs =
        (one.phase == PodPhase::kRunning && !going) || one.ended_as == PodEnd::kSucceeded;
    running += runs && !one.old && !one.surplus ? 1 : 0;
    failing = failing || one.old || one.phase == PodPhase::kFailed;
  }
  const std::int64_t total = draft.form.total_replicas();
  if (!failing && running >= std::min(draft.form.least_replicas.value_or(total), total)) {
    draft.set("ReplicaFailure", false, "-", kAllIsWell);
    if (!draft.was("Running", true)) {
      draft.set_phase("Running");
      draft.set("Running", true, "-", kAllIsWell);
      tell_running(draft);
    }
  }
  report_unknown(draft);
  if (const auto left = time_left(draft)) draft.plan.look_again = *left;
}

void report_waiting(Draft& draft) {
  if (condition_is(draft.status, "Running", true)) return report_waiting_replacement(draft);
  const Waiting why = why_not_running(draft);
  if (!why.message.empty()) {
    const Json* before = find_condition(array_at(draft.before, "conditions"), "Running");
    const bool told = before != nullptr && string_at(*before, "reason") == kRefused;
    if (why.reason == kRefused && !told) draft.tell(kRefused, why.message, true);
    draft.set("Running", false, why.reason, why.message);
  } else if (condition_is(draft.status, "Running", false)) {
    draft.set("Running", false, "-", "All pods have a place.");
  }
}

void tell_running(Draft& draft) {
  const std::string micros = format_time_micro(draft.view.now);
  draft.tell("Running", fmt::format("The job began running at {} {} UTC", micros.substr(0, 10),
                                    micros.substr(11, 11)));
}

}  // namespace trainyard::jobs
