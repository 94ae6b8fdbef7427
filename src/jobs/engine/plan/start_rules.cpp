#include "jobs/engine/plan/start_rules.h"

#include "jobs/engine/form/failure.h"
#include "jobs/engine/plan/cause.h"
#include "jobs/engine/plan/restart.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::jobs {
namespace {

Ending no_start(const Draft& draft, const std::string& why) {
  return {false, fmt::format("{}: {}", draft.kind.limit_headline(draft, EndedBy::kNoStart), why),
          EndedBy::kNoStart};
}

/// Whether a container of the pod runs for the first time, as far as its status tells.
bool is_in_first_run(const Observed& leader) {
  if (leader.pod == nullptr || leader.phase != PodPhase::kRunning) return false;
  const JsonArray& containers = array_at(leader.pod->body(), "status.containerStatuses");
  return std::all_of(containers.begin(), containers.end(), [](const Json& one) {
    return int_at(one, "restartCount") == 0 && int_at(one, "state.terminated.exitCode") == 0 &&
           find(one, "state.waiting") == nullptr;
  });
}

const Observed* lost_follower(const Draft& draft) {
  for (const Observed& one : draft.observed) {
    if (one.replica.rank == 0 || one.ended_as != PodEnd::kFailed) continue;
    if (has_ended_for_good(draft, one)) return &one;
  }
  return nullptr;
}

/// The end of the container, now or before its node started it again; null: it has not failed.
const Json* failed_gate(const Draft& draft, const Observed& leader) {
  if (draft.form.meeting.gate.empty() || leader.pod == nullptr) return nullptr;
  for (const Json& container : array_at(leader.pod->body(), "status.initContainerStatuses")) {
    if (string_at(container, "name") != draft.form.meeting.gate) continue;
    for (const char* when : {"state.terminated", "lastState.terminated"}) {
      const Json* ended = find(container, when);
      if (ended != nullptr && int_at(*ended, "exitCode") != 0) return ended;
    }
  }
  return nullptr;
}

}  // namespace

std::optional<Ending> judge_start(const Draft& draft) {
  const Observed& leader = draft.observed.front();
  if (draft.form.meeting.starts_with_all && !is_in_first_run(leader)) {
    if (const Observed* lost = lost_follower(draft)) {
      return no_start(draft, tell_cause(draft, *lost));
    }
  }
  if (const Json* ended = failed_gate(draft, leader)) {
    std::string_view words = string_at(*ended, "message");
    while (words.ends_with('\n')) words.remove_suffix(1);
    return no_start(draft, words.empty() ? fmt::format("Pod[{}], container {}: see its log",
                                                       leader.name, draft.form.meeting.gate)
                                         : std::string(words));
  }
  return std::nullopt;
}

}  // namespace trainyard::jobs
