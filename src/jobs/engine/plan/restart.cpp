#include "jobs/engine/plan/restart.h"

#include "jobs/engine/plan/cause.h"
#include "object/values/status.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace trainyard::jobs {
namespace {

/// Restarts that are left for a replica of the group.
std::int64_t budget_of(const Draft& draft, std::size_t group) {
  const std::optional<std::int64_t> shared = draft.form.limits.backoff;
  if (!shared) {
    return draft.form.groups[group].restart_limit - draft.restarts[group] - draft.promised[group];
  }
  if (draft.restarts_together()) return *shared - draft.rounds;
  const auto sum = [](const std::vector<std::int64_t>& counts) {
    return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  };
  return *shared - sum(draft.restarts) - sum(draft.promised);
}

void replace_one_by_one(Draft& draft) {
  for (const Observed& one : draft.observed) {
    if (!is_over(one.phase) || one.surplus || is_being_deleted(one.pod->body())) continue;
    const std::size_t group = one.replica.group;
    if (!may_restart(draft.group_of(one).restart, one) || budget_of(draft, group) <= 0) continue;
    ++draft.promised[group];
    if (one.recorded) draft.remove(one);
  }
}

/// A new round is a number in the status: once that is written, all pods of the last are old.
void replace_together(Draft& draft) {
  for (const Observed& one : draft.observed) {
    if (one.old) draft.remove(one);
  }
  if (awaits_old_pods(draft)) return;
  const auto wants = [&](const Observed& one) {
    return !one.surplus && one.has_ended() && will_restart(draft, one);
  };
  const auto first = std::find_if(draft.observed.begin(), draft.observed.end(), wants);
  if (first == draft.observed.end()) return;
  ++draft.rounds;
  draft.tell("Restarting", fmt::format("All replicas are started anew together (restart {} of {}), "
                                       "since {}.",
                                       draft.rounds, draft.form.limits.backoff.value_or(0),
                                       how_it_ended(*first)));
}

}  // namespace

bool may_restart(RestartPolicy policy, const Observed& observed) {
  const bool failed = observed.ended_as == PodEnd::kFailed;
  const std::int64_t code = observed.exit_code;
  switch (policy) {
    case RestartPolicy::kNever:
      return false;
    case RestartPolicy::kOnFailure:
      return failed;
    case RestartPolicy::kAlways:
      return observed.has_ended();
    case RestartPolicy::kExitCode:
      // SIGINT, SIGKILL, SIGTERM from outside, and 138: the user's own "restart me".
      return failed && (code == 130 || code == 137 || code == 138 || code == 143);
    case RestartPolicy::kSignalOrMore:
      return failed && code >= 128;
  }
  return false;
}

void tally_restarts(Draft& draft) {
  // Replicas that were scaled away took their entries with them; what the task counted stays.
  const JsonArray& tasks = array_at(draft.before, "tasks");
  for (std::size_t group = 0; group < tasks.size() && group < draft.restarts.size(); ++group) {
    draft.restarts[group] = int_at(tasks[group], "restartCount");
  }
  if (draft.restarts_together()) draft.rounds = int_at(draft.before, "backoffCount");
  for (Observed& one : draft.observed) {
    one.old = one.restarts < draft.rounds;
    const Json* memory = remembered(draft.before, one.name);
    const std::int64_t known = memory == nullptr ? 0 : int_at(*memory, "restarts");
    draft.restarts[one.replica.group] += one.restarts - known;
  }
}

void count_restarts(Draft& draft) {
  for (Observed& one : draft.observed) {
    // Of a round that is over, nothing counts any more.
    if (one.pod == nullptr && one.old) {
      one.phase = PodPhase::kCreating;
      one.ended_as = PodEnd::kNone;
      draft.restarts[one.replica.group] += draft.rounds - std::exchange(one.restarts, draft.rounds);
    }
    if (one.pod == nullptr || !one.recorded || !is_being_deleted(one.pod->body())) continue;
    if (!draft.restarts_together() && may_restart(draft.group_of(one).restart, one)) {
      ++draft.promised[one.replica.group];
    }
  }
  for (Observed& one : draft.observed) {
    if (one.pod != nullptr || !one.has_ended()) continue;
    if (one.phase == PodPhase::kDeleted || draft.restarts_together() || !will_restart(draft, one)) {
      one.phase = PodPhase::kDeleted;
      continue;
    }
    // Nothing is made while the job is held, and it may end so: a restart is counted when it comes.
    if (draft.form.paused) {
      one.phase = phase_of(one.ended_as);
      continue;
    }
    one.phase = PodPhase::kCreating;
    one.succeeds = true;
    ++one.restarts;
    ++draft.restarts[one.replica.group];
  }
}

bool will_restart(const Draft& draft, const Observed& observed) {
  if (observed.old) return true;
  if (!may_restart(draft.group_of(observed).restart, observed)) return false;
  const bool promised = !draft.restarts_together() && observed.pod != nullptr &&
                        is_being_deleted(observed.pod->body());
  return promised || budget_of(draft, observed.replica.group) > 0;
}

bool has_ended_for_good(const Draft& draft, const Observed& observed) {
  if (!observed.has_ended() || observed.succeeds || observed.surplus) return false;
  const bool lost = observed.phase == PodPhase::kDeleted && !draft.restarts_together();
  return lost || !will_restart(draft, observed);
}

void replace_ended(Draft& draft) {
  if (draft.restarts_together()) {
    replace_together(draft);
  } else {
    replace_one_by_one(draft);
  }
}

bool awaits_old_pods(const Draft& draft) {
  return std::any_of(draft.observed.begin(), draft.observed.end(),
                     [](const Observed& one) { return one.old && one.pod != nullptr; });
}

}  // namespace trainyard::jobs
