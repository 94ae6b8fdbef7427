#include "jobs/engine/plan/judge.h"

#include "jobs/engine/form/failure.h"
#include "jobs/engine/plan/cause.h"
#include "jobs/engine/plan/progress.h"
#include "jobs/engine/plan/restart.h"
#include "jobs/engine/plan/start_rules.h"
#include "object/values/status.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace trainyard::jobs {
namespace {

/// Replicas stand in the order of their ranks.
const Observed* find_replica(const Draft& draft,
                             const std::pair<std::size_t, std::int64_t>& place) {
  const JobForm& form = draft.form;
  const auto& [group, index] = place;
  if (group >= form.groups.size() || index < 0 || index >= form.groups[group].replicas) {
    return nullptr;
  }
  std::int64_t rank = index;
  if (group != form.first_group) {
    rank += form.groups[form.first_group].replicas;
    for (std::size_t before = 0; before < group; ++before) {
      if (before != form.first_group) rank += form.groups[before].replicas;
    }
  }
  return &draft.observed[static_cast<std::size_t>(rank)];
}

bool ended_for_good(const Draft& draft, const Observed* one, PodEnd how) {
  return one != nullptr && has_ended_for_good(draft, *one) && one->ended_as == how;
}

/// Whether all replicas of the rule have ended in that way.
bool holds(const Draft& draft, const EndRule& rule, PodEnd how) {
  return std::all_of(rule.replicas.begin(), rule.replicas.end(), [&](const auto& place) {
    return ended_for_good(draft, find_replica(draft, place), how);
  });
}

const Observed* first_failed(const Draft& draft, const EndRule& rule) {
  for (const auto& place : rule.replicas) {
    const Observed* one = find_replica(draft, place);
    if (ended_for_good(draft, one, PodEnd::kFailed)) return one;
  }
  return nullptr;
}

bool all_have_ended(const Draft& draft) {
  return std::all_of(draft.observed.begin(), draft.observed.end(), [&](const Observed& one) {
    return one.surplus || has_ended_for_good(draft, one);
  });
}

/// Which limit kept a replica from running again; empty when its policy did.
std::string used_up(const Draft& draft, const Observed& one) {
  const ReplicaGroup& group = draft.group_of(one);
  if (!may_restart(group.restart, one)) return {};
  if (!draft.form.limits.backoff) {
    if (group.restart_limit == 0) return {};  // nobody has asked for any
    return fmt::format("; all {} restarts of type {} are used up", group.restart_limit, group.type);
  }
  return fmt::format("; all {} restarts of runPolicy.backoffLimit are used up",
                     *draft.form.limits.backoff);
}

Ending failed_by(const Draft& draft, const EndRule& rule, const Observed& decisive) {
  const std::string headline = draft.kind.failure_headline(draft, rule);
  return Ending{false, (headline.empty() ? "" : headline + ": ") +
                           tell_cause(draft, decisive, used_up(draft, decisive))};
}

std::optional<Ending> judge_by_rules(const Draft& draft) {
  const JobForm& form = draft.form;
  for (const EndRule& rule : form.ends.success_rules) {
    if (holds(draft, rule, PodEnd::kSucceeded))
      return Ending{true, "The job has finished successfully."};
  }
  for (const EndRule& rule : form.ends.failure_rules) {
    if (holds(draft, rule, PodEnd::kFailed))
      return failed_by(draft, rule, *first_failed(draft, rule));
  }
  if (form.ends.on_replica_failure == OnReplicaFailure::kStopJob) {
    for (const Observed& one : draft.observed) {
      if (ended_for_good(draft, &one, PodEnd::kFailed)) {
        return Ending{false,
                      tell_cause(draft, one,
                                 used_up(draft, one) + "; runPolicy.onReplicaFailure is StopJob")};
      }
    }
  }
  if (form.ends.success_is_usual && !all_have_ended(draft)) return std::nullopt;
  // A rule for success that waits for a replica that failed will never hold.
  const Observed* decisive = nullptr;
  for (const EndRule& rule : form.ends.success_rules) {
    decisive = first_failed(draft, rule);
    if (decisive == nullptr) return std::nullopt;
  }
  if (decisive == nullptr) return std::nullopt;
  return Ending{false, "No rule for success can hold any more: " +
                           tell_cause(draft, *decisive, used_up(draft, *decisive))};
}

/// Containers that the node has started again, of all pods that run.
std::int64_t restarts_in_place(const Draft& draft, const Observed*& most) {
  std::int64_t total = 0;
  std::int64_t top = 0;
  for (const Observed& one : draft.observed) {
    if (one.phase != PodPhase::kRunning || one.surplus || one.pod == nullptr) continue;
    std::int64_t own = 0;
    for (const char* list : {"status.initContainerStatuses", "status.containerStatuses"}) {
      for (const Json& container : array_at(one.pod->body(), list)) {
        own += int_at(container, "restartCount");
      }
    }
    total += own;
    if (own > top) most = &one;
    top = std::max(top, own);
  }
  return total;
}

std::optional<Ending> judge_restarts(const Draft& draft) {
  if (!draft.form.limits.in_place) return std::nullopt;
  const Observed* most = nullptr;
  const std::int64_t restarts = restarts_in_place(draft, most);
  if (most == nullptr || restarts < *draft.form.limits.in_place) return std::nullopt;
  const Failure last = read_last_failure(*most);
  return Ending{
      false,
      fmt::format("{}: {}{}; containers were started again {} time{}",
                  draft.kind.limit_headline(draft, EndedBy::kRestartsInPlace), headline_of(last),
                  details_of(last), restarts, restarts == 1 ? "" : "s"),
      EndedBy::kRestartsInPlace};
}

/// Such a job must stop, whatever its clean-up policy keeps.
bool failed_by_deadline(const Draft& draft) {
  const auto start = parse_time(string_at(draft.before, "startTime"));
  const auto end = parse_time(string_at(draft.before, "completionTime"));
  const std::chrono::seconds paused(int_at(draft.before, "pausedSeconds"));
  return draft.form.limits.deadline && start && end &&
         *end >= *start + *draft.form.limits.deadline + paused;
}

/// Whether a pod of a job that is over still has time to end; looks again when it has not.
bool ends_by_itself(Draft& draft, const Observed& one) {
  const auto end = parse_time(string_at(draft.before, "completionTime"));
  const std::chrono::seconds span = draft.group_of(one).may_go_on;
  if (!end || span.count() == 0 || is_over(one.phase)) return false;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*end + span - draft.view.now);
  if (left.count() <= 0) return false;
  draft.plan.look_again = left;
  return true;
}

}  // namespace

std::optional<Ending> judge(const Draft& draft) {
  if (draft.observed.empty()) {
    return Ending{false, "The job has no pods: all of its spec.replicaSpecs ask for 0 replicas."};
  }
  if (auto ending = judge_by_rules(draft)) return ending;
  if (auto ending = judge_start(draft)) return ending;
  if (auto ending = judge_restarts(draft)) return ending;
  if (const auto left = time_left(draft); left && left->count() <= 0) {
    return Ending{false, draft.kind.limit_headline(draft, EndedBy::kDeadline), EndedBy::kDeadline};
  }
  return std::nullopt;
}

std::optional<std::chrono::milliseconds> time_left(const Draft& draft) {
  const auto start = parse_time(string_at(draft.before, "startTime"));
  if (!draft.form.limits.deadline || !start || draft.form.paused || draft.was("Paused", true)) {
    return std::nullopt;
  }
  const std::chrono::seconds paused(int_at(draft.before, "pausedSeconds"));
  // Rounded up: a millisecond too early would be the second before, in completionTime.
  return std::chrono::ceil<std::chrono::milliseconds>(*start + *draft.form.limits.deadline +
                                                      paused - draft.view.now);
}

void finish(Draft& draft, const Ending& ending) {
  const char* phase = ending.success ? "Succeeded" : "Failed";
  draft.ended_by = ending.by;
  // Pods can be so short that nobody has seen them run.
  if (ending.success && !draft.was("Running", true)) tell_running(draft);
  draft.set_phase(phase);
  draft.status.get_object()["completionTime"] = format_time(draft.view.now);
  draft.set("Running", false, phase, ending.message);
  draft.set("Failed", !ending.success, phase, ending.message);
  draft.set("Completed", true, phase, ending.message);
  draft.set("ReplicaFailure", !ending.success, ending.success ? "Finished" : "ErrorInPod",
            ending.message);
  draft.tell(phase, ending.message, !ending.success);
  // Successors that will not come are no restarts.
  for (Observed& one : draft.observed) {
    if (!std::exchange(one.succeeds, false)) continue;
    --one.restarts;
    --draft.restarts[one.replica.group];
  }
}

void expire(Draft& draft) {
  const auto end = parse_time(string_at(draft.before, "completionTime"));
  if (!draft.form.ends.time_to_live || !end) return;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(
      *end + *draft.form.ends.time_to_live - draft.view.now);
  draft.plan.remove_job = left.count() <= 0;
  if (!draft.plan.remove_job) draft.plan.look_again = left;
}

void clean_up(Draft& draft) {
  const JobForm& form = draft.form;
  const bool failed = string_at(draft.before, "phase") == "Failed";
  const bool stop = failed && (form.ends.stops_when_failed || failed_by_deadline(draft) ||
                               form.ends.on_replica_failure == OnReplicaFailure::kStopJob);
  for (const Observed& one : draft.observed) {
    const CleanUp policy = draft.group_of(one).clean_up.value_or(form.ends.clean_up);
    const bool stopped = (stop && !ends_by_itself(draft, one)) || policy == CleanUp::kUnfinished;
    if (policy != CleanUp::kAll && (!stopped || is_over(one.phase))) continue;
    draft.remove(one);
    draft.remove_service(one);
  }
}

}  // namespace trainyard::jobs
