#include "jobs/engine/plan/stall.h"

#include "jobs/engine/form/status.h"
#include "object/values/status.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace trainyard::jobs {
namespace {

using contract::RankPace;
using contract::RankReport;
using contract::RankState;

/// One rank, wherever it runs.
struct Seen {
  const WatchedPod* pod = nullptr;
  const RankReport* report = nullptr;
};

/// What a rank that does nothing is in.
enum class Place : std::uint8_t {
  kMeeting,    // it waits for others to begin with
  kTogether,   // in something that all ranks do together
  kElsewhere,  // in its own code, or asleep
  kUnknown
};

bool any_frame(const RankReport& report, std::size_t most, auto test) {
  const std::size_t count = std::min(most, report.stack.size());
  return std::any_of(report.stack.begin(),
                     report.stack.begin() + static_cast<std::ptrdiff_t>(count), test);
}

bool ends_in(std::string_view frame, std::string_view function) {
  return frame.ends_with(std::string(" in ").append(function));
}

Place place_of(const RankReport& report) {
  if (report.state == RankState::kIsStopped) return Place::kElsewhere;
  if (report.stack.empty()) {
    // A lock or a poll may be anything; what is certainly not waiting for others is told apart.
    for (const char* own : {"sleeps", "is blocked", "child process", "file lock", "has ended"}) {
      if (report.waits.find(own) != std::string::npos) return Place::kElsewhere;
    }
    if (report.waits.find(" on a socket") != std::string::npos) return Place::kTogether;
    return Place::kUnknown;
  }
  constexpr std::array kMeetings = {
      "init_process_group",      "rendezvous", "_create_c10d_store",  "_tcp_rendezvous_handler",
      "_env_rendezvous_handler", "init_rpc",   "_store_based_barrier"};
  const bool meets = any_frame(report, 8, [&](const std::string& frame) {
    return frame.starts_with("torch/distributed/") &&
           std::any_of(kMeetings.begin(), kMeetings.end(),
                       [&](const char* name) { return ends_in(frame, name); });
  });
  if (meets) return Place::kMeeting;
  // The innermost frames: user code that is called from a library's is still user code.
  const bool together = any_frame(report, 3, [](const std::string& frame) {
    return frame.starts_with("torch/distributed/") || frame.starts_with("horovod/") ||
           (frame.starts_with("torch/autograd/") && ends_in(frame, "backward"));
  });
  return together ? Place::kTogether : Place::kElsewhere;
}

std::string who(const Seen& seen) {
  if (seen.report->rank) return fmt::format("rank {} ({})", *seen.report->rank, seen.pod->name);
  return seen.pod->name;
}

/// "waits in …, in train.py:33 in main".
std::string where(const RankReport& report) {
  std::string words = report.waits.empty() ? "does nothing" : report.waits;
  if (report.stack.empty()) return words;
  const auto is_own = [](const std::string& frame) {
    return frame.find('/') == std::string::npos && !frame.starts_with('<');
  };
  words += fmt::format(", at {}", report.stack.front());
  const auto own = std::find_if(report.stack.begin(), report.stack.end(), is_own);
  if (own != report.stack.end() && own != report.stack.begin()) {
    words += fmt::format(", called from {}", *own);
  }
  return words;
}

std::string list_of(const std::vector<Seen>& some) {
  constexpr std::size_t kMost = 8;
  std::vector<std::string> names;
  for (const Seen& seen : some) names.push_back(who(seen));
  std::sort(names.begin(), names.end());
  const std::size_t more = names.size() > kMost ? names.size() - kMost : 0;
  names.resize(names.size() - more);
  std::string words = fmt::format("{}", fmt::join(names, ", "));
  if (more > 0) words += fmt::format(" and {} more", more);
  return words;
}

/// A time, not a span: the sentence shall not be another one each time that it is looked at.
std::string how_long(WallTime since) {
  return fmt::format("since {}", format_time(since));
}

/// All ranks, or, where nobody was told one, all containers.
std::vector<Seen> all_ranks(const std::vector<WatchedPod>& pods) {
  std::vector<Seen> ranks;
  std::vector<Seen> others;
  for (const WatchedPod& pod : pods) {
    if (!pod.runs) continue;
    for (const RankReport& report : pod.ranks) {
      (report.rank ? ranks : others).push_back(Seen{&pod, &report});
    }
  }
  return ranks.empty() ? others : ranks;
}

/// What its node says, and what that means where it asks again and again for others to come.
RankState state_of(const RankReport& report) {
  const bool asks = report.state == RankState::kMurmurs || report.state == RankState::kSpins;
  if (asks && place_of(report) == Place::kMeeting) return RankState::kQuiet;
  return report.state == RankState::kMurmurs ? RankState::kMoves : report.state;
}

std::vector<Seen> of_state(const std::vector<Seen>& ranks, RankState state) {
  std::vector<Seen> found;
  std::copy_if(ranks.begin(), ranks.end(), std::back_inserter(found),
               [&](const Seen& seen) { return state_of(*seen.report) == state; });
  return found;
}

std::vector<Seen> of_place(const std::vector<Seen>& ranks, Place place) {
  std::vector<Seen> found;
  std::copy_if(ranks.begin(), ranks.end(), std::back_inserter(found),
               [&](const Seen& seen) { return place_of(*seen.report) == place; });
  return found;
}

/// What the sentence about one or some ranks ends with.
std::string tell_of(const std::vector<Seen>& named) {
  std::string words = fmt::format("{} {}", who(named.front()), where(*named.front().report));
  if (named.size() > 1) {
    std::vector<Seen> rest(named.begin() + 1, named.end());
    words += fmt::format("; neither is there: {};", list_of(rest));
  }
  return fmt::format("{} {}", words, how_long(named.front().report->since));
}

std::string the_others(std::size_t count) {
  return count == 1 ? "the other rank waits" : fmt::format("the other {} ranks wait", count);
}

/// Ranks that WORLD_SIZE promises, and that nobody is.
std::vector<int> missing_ranks(const std::vector<Seen>& ranks) {
  constexpr int kMost = 10'000;
  int world = 0;
  std::set<int> there;
  for (const Seen& seen : ranks) {
    world = std::max(world, seen.report->world);
    if (seen.report->rank) there.insert(*seen.report->rank);
  }
  std::vector<int> missing;
  if (there.empty()) return missing;
  for (int rank = 0; rank < std::min(world, kMost); ++rank) {
    if (!there.contains(rank)) missing.push_back(rank);
  }
  return missing;
}

/// The one whose innermost frame is not that of all others.
std::vector<Seen> odd_frame(const std::vector<Seen>& ranks) {
  std::map<std::string, std::vector<Seen>> groups;
  for (const Seen& seen : ranks) {
    groups[seen.report->stack.empty() ? seen.report->waits : seen.report->stack.front()].push_back(
        seen);
  }
  if (groups.size() != 2 || ranks.size() < 3) return {};
  auto& first = groups.begin()->second;
  auto& second = groups.rbegin()->second;
  if (first.size() == 1 && second.size() > 1) return first;
  if (second.size() == 1 && first.size() > 1) return second;
  return {};
}

std::optional<StallVerdict> judge_absent(const std::vector<WatchedPod>& pods,
                                         const std::vector<Seen>& ranks) {
  const std::string rest = the_others(ranks.size());
  for (const WatchedPod& pod : pods) {
    if (pod.runs) continue;
    if (pod.ended) {
      return StallVerdict{"RankHasEnded",
                          fmt::format("{} has ended, and {} for it: {} {}", pod.name, rest,
                                      who(ranks.front()), where(*ranks.front().report))};
    }
    return StallVerdict{"RankIsMissing",
                        fmt::format("{} does not run, and {} for it", pod.name, rest)};
  }
  const std::vector<int> missing = missing_ranks(ranks);
  if (missing.empty()) return std::nullopt;
  const auto first = std::vector<int>(
      missing.begin(),
      missing.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(missing.size(), 8)));
  return StallVerdict{
      "RankIsMissing",
      fmt::format("rank {} of WORLD_SIZE has no process: {} wait{} for it; {} {}",
                  fmt::join(first, ", "), ranks.size() == 1 ? who(ranks.front()) : "all others",
                  ranks.size() == 1 ? "s" : "", who(ranks.front()), where(*ranks.front().report))};
}

/// Every rank is quiet or stopped.
StallVerdict judge_all_still(const std::vector<WatchedPod>& pods, const std::vector<Seen>& ranks) {
  if (auto absent = judge_absent(pods, ranks)) return *std::move(absent);
  std::vector<Seen> odd = of_place(ranks, Place::kElsewhere);
  const std::size_t together =
      of_place(ranks, Place::kTogether).size() + of_place(ranks, Place::kMeeting).size();
  const bool fewer = !odd.empty() && odd.size() < ranks.size() &&
                     (together > 0 || odd.size() * 2 < ranks.size() + 1);
  if (!fewer) odd = odd_frame(ranks);
  if (!odd.empty()) {
    const bool meets = together > 0 && of_place(ranks, Place::kTogether).empty();
    return StallVerdict{
        meets ? "RankIsMissing" : "RankIsBehind",
        fmt::format("{}; {} for it", tell_of(odd), the_others(ranks.size() - odd.size()))};
  }
  const Seen& one = ranks.front();
  if (ranks.size() == 1) return StallVerdict{"NothingMoves", tell_of({one})};
  return StallVerdict{"NothingMoves",
                      fmt::format("all {} ranks have stopped moving; {} {} {}", ranks.size(),
                                  who(one), where(*one.report), how_long(one.report->since))};
}

}  // namespace

std::optional<StallVerdict> judge_stall(const std::vector<WatchedPod>& pods) {
  const std::vector<Seen> ranks = all_ranks(pods);
  if (ranks.empty()) return std::nullopt;
  const std::vector<Seen> stopped = of_state(ranks, RankState::kIsStopped);
  if (!stopped.empty()) {
    return StallVerdict{
        "RankIsStopped",
        fmt::format("{}; the rest of the job waits until it goes on (SIGCONT)", tell_of(stopped))};
  }
  // A pod that runs and was never told of moves, for all that is known.
  const bool unknown = std::any_of(pods.begin(), pods.end(), [&](const WatchedPod& pod) {
    return pod.runs && pod.ranks.empty();
  });
  if (unknown || !of_state(ranks, RankState::kMoves).empty()) return std::nullopt;
  // Who only sleeps, and always did, has not begun: that is how some jobs are meant.
  const bool began =
      std::any_of(ranks.begin(), ranks.end(), [](const Seen& seen) { return seen.report->began; });
  if (!began) return std::nullopt;
  const std::vector<Seen> spins = of_state(ranks, RankState::kSpins);
  if (spins.empty()) return judge_all_still(pods, ranks);
  // Somebody computes: only where all others wait for fewer than half is that told.
  if (spins.size() * 2 > ranks.size() || spins.size() == ranks.size()) return std::nullopt;
  return StallVerdict{"RankIsBehind",
                      fmt::format("{} and has neither read, written nor sent anything; {} for it",
                                  tell_of(spins), the_others(ranks.size() - spins.size()))};
}

std::optional<StallVerdict> judge_straggler(const std::vector<WatchedPod>& pods) {
  const std::vector<Seen> ranks = all_ranks(pods);
  const auto slow = std::find_if(ranks.begin(), ranks.end(), [](const Seen& seen) {
    return seen.report->pace == RankPace::kCountsSlowly;
  });
  if (slow != ranks.end()) {
    return StallVerdict{"RankIsSlow",
                        fmt::format("{} is slower than the others: by their logs, its "
                                    "steps take more than twice as long",
                                    who(*slow))};
  }
  const bool comparable = std::all_of(pods.begin(), pods.end(), [&](const WatchedPod& pod) {
    return pod.runs && !pod.ranks.empty() &&
           (pod.type == pods.front().type || pod.type == "master" ||
            pods.front().type == "master" || pod.type == "worker");
  });
  if (!comparable || ranks.size() < 2) return std::nullopt;
  std::map<RankPace, std::vector<Seen>> paces;
  for (const Seen& seen : ranks) {
    if (state_of(*seen.report) != RankState::kMoves) return std::nullopt;
    paces[seen.report->pace].push_back(seen);
  }
  if (paces.size() != 2) return std::nullopt;
  for (const auto& [pace, some] : paces) {
    const auto& [other_pace, others] = *std::find_if(
        paces.begin(), paces.end(), [p = pace](const auto& entry) { return entry.first != p; });
    const bool others_wait = other_pace != RankPace::kMixed && other_pace != RankPace::kWorks;
    // Of two, the one that works is the slow one; of one that waits elsewhere, it takes a majority.
    const bool is_odd = some.size() == 1 && others_wait && pace != RankPace::kMixed &&
                        (pace == RankPace::kWorks || others.size() > 1);
    if (!is_odd) continue;
    return StallVerdict{"RankIsSlow",
                        fmt::format("{} is slower than the others: most of the time {} for it",
                                    who(some.front()), the_others(others.size()))};
  }
  return std::nullopt;
}

namespace {

std::vector<WatchedPod> watched_pods(const Draft& draft) {
  std::vector<WatchedPod> pods;
  for (const Observed& one : draft.observed) {
    if (one.surplus) continue;
    WatchedPod pod;
    pod.name = one.name;
    pod.type = draft.group_of(one).type;
    pod.ended = one.has_ended();
    pod.runs =
        one.pod != nullptr && one.phase == PodPhase::kRunning && !is_being_deleted(one.pod->body());
    if (pod.runs) pod.ranks = contract::activity_of(one.pod->body());
    pods.push_back(std::move(pod));
  }
  return pods;
}

/// A condition that was never true need not be written.
void put(Draft& draft, const char* type, const std::optional<StallVerdict>& verdict,
         const char* well) {
  if (!verdict) {
    if (draft.was(type, true)) draft.set(type, false, "Moves", well);
    return;
  }
  const Json* before = find_condition(array_at(draft.before, "conditions"), type);
  const bool told = before != nullptr && string_at(*before, "status") == "True" &&
                    string_at(*before, "message") == verdict->message;
  draft.set(type, true, verdict->reason, verdict->message);
  if (!told) draft.tell(type, verdict->message, true);
}

constexpr const char* kMoves = "All ranks move.";
constexpr const char* kMovesAgain = "MovesAgain";

}  // namespace

void report_stall(Draft& draft) {
  const std::vector<WatchedPod> pods = watched_pods(draft);
  const bool any = std::any_of(pods.begin(), pods.end(),
                               [](const WatchedPod& pod) { return !pod.ranks.empty(); });
  if (!any) return clear_stall(draft);
  const bool stalled = draft.was(kStalled, true);
  put(draft, kStalled, judge_stall(pods), kMoves);
  if (stalled && !condition_is(draft.status, kStalled, true)) {
    draft.tell(kMovesAgain, "The job's ranks move again.");
  }
  put(draft, kStraggling, judge_straggler(pods), "No rank keeps the others waiting.");
}

bool is_about_stall(const PlannedEvent& event) {
  return event.reason == kStalled || event.reason == kStraggling || event.reason == kMovesAgain;
}

void clear_stall(Draft& draft) {
  put(draft, kStalled, std::nullopt, kMoves);
  put(draft, kStraggling, std::nullopt, kMoves);
}

}  // namespace trainyard::jobs
