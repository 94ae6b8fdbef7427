#include "jobs/engine/plan/cause.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace trainyard::jobs {
namespace {

using namespace std::chrono_literals;

/// Ranks that lose one of theirs notice within seconds; a failure much later has its own cause.
constexpr auto kTogether = 60s;
constexpr std::size_t kMostNoted = 16;

WallTime earliest(const Failure& failure) {
  return failure.time.value_or(WallTime::max());
}

/// A time in whole seconds may mean any moment of that second.
WallTime latest(const Failure& failure) {
  if (!failure.time) return WallTime::max();
  return failure.exact ? *failure.time : *failure.time + 1s;
}

/// What programs say when whom they talk to is gone.
bool tells_of_lost_peer(const Failure& failure) {
  constexpr std::array kPhrases = {
      "onnection closed by peer", "onnection reset",        "roken pipe",
      "onnection refused",        "remote process exited",  "Socket Timeout",
      "onnection aborted",        "peer process terminated"};
  return std::any_of(kPhrases.begin(), kPhrases.end(), [&](const char* phrase) {
    return failure.line.find(phrase) != std::string::npos;
  });
}

/// Those that may have been the first, as far as their times tell.
std::vector<const Failure*> possible_firsts(const std::vector<Failure>& failures) {
  WallTime bound = WallTime::max();
  for (const Failure& failure : failures) bound = std::min(bound, latest(failure));
  std::vector<const Failure*> found;
  for (const Failure& failure : failures) {
    const bool before = failure.exact ? earliest(failure) <= bound : earliest(failure) < bound;
    if (before || !failure.time) found.push_back(&failure);
  }
  return found;
}

std::string tell_unknown_first(const std::vector<const Failure*>& firsts) {
  std::string names;
  bool timed = true;
  for (const Failure* failure : firsts) {
    names += fmt::format("{}Pod[{}]", names.empty() ? "" : ", ", failure->pod);
    timed = timed && failure->time;
  }
  return fmt::format(
      "; which of {} failed first cannot be told: {}", names,
      timed ? "their times are known in whole seconds only" : "not all of their times are known");
}

std::string tell_others(const std::vector<Failure>& failures, const Failure& first) {
  std::size_t others = 0;
  std::size_t lost = 0;
  WallTime next = WallTime::max();
  for (const Failure& failure : failures) {
    if (failure.uid == first.uid) continue;
    ++others;
    lost += tells_of_lost_peer(failure) ? 1 : 0;
    next = std::min(next, earliest(failure));
  }
  if (others == 0) return {};
  const std::string who = others == 1 ? "the other one" : fmt::format("the other {}", others);
  const std::chrono::duration<double> gap = next - *first.time;
  const std::string later = first.exact ? fmt::format("{:.2f} s later", gap.count()) : "later";
  return lost == others
             ? fmt::format("; {} failed because of it, lost connections say, from {}", who, later)
             : fmt::format("; {} failed after it, from {}", who, later);
}

std::vector<Failure> read_noted(const Json& status) {
  std::vector<Failure> failures;
  for (const Json& entry : array_at(status, "failures")) failures.push_back(read_failure(entry));
  return failures;
}

/// Whether a new failure follows the noted ones so closely that they may have one cause.
bool belongs_to(const std::vector<Failure>& noted, const Failure& failure) {
  return std::any_of(noted.begin(), noted.end(), [&](const Failure& other) {
    if (!other.time || !failure.time) return true;
    return *failure.time - *other.time <= kTogether && *other.time - *failure.time <= kTogether;
  });
}

/// Replicas that were replaced fail again: when the one that failed first does, a new row begins.
void forget_earlier_tries(std::vector<Failure>& noted, const std::vector<Failure>& fresh) {
  const auto fails_again = [&](const Failure& earlier) {
    return std::any_of(fresh.begin(), fresh.end(),
                       [&](const Failure& failure) { return failure.pod == earlier.pod; });
  };
  if (!noted.empty() && fails_again(noted.front())) {
    noted.clear();
  } else {
    std::erase_if(noted, fails_again);
  }
}

}  // namespace

std::string how_it_ended(const Observed& observed) {
  const Failure failure = read_failure(observed);
  return headline_of(failure) + details_of(failure);
}

void note_failures(Draft& draft) {
  std::vector<Failure> noted = read_noted(draft.before);
  std::vector<Failure> fresh;
  for (const Observed& one : draft.observed) {
    const bool is_new = one.phase == PodPhase::kFailed && !one.recorded && !one.old && !one.surplus;
    if (is_new) fresh.push_back(read_failure(one));
  }
  if (fresh.empty()) return;
  if (std::none_of(fresh.begin(), fresh.end(),
                   [&](const Failure& failure) { return belongs_to(noted, failure); })) {
    noted.clear();
  }
  forget_earlier_tries(noted, fresh);
  noted.insert(noted.end(), fresh.begin(), fresh.end());
  std::sort(noted.begin(), noted.end(), [](const Failure& a, const Failure& b) {
    return std::pair(earliest(a), a.pod) < std::pair(earliest(b), b.pod);
  });
  if (noted.size() > kMostNoted) noted.resize(kMostNoted);
  JsonArray list;
  for (const Failure& failure : noted) list.push_back(to_json(failure));
  draft.status.get_object()["failures"] = std::move(list);
}

std::string tell_cause(const Draft& draft, const Observed& decisive, const std::string& why) {
  const std::vector<Failure> noted = read_noted(draft.status);
  Failure failure = read_failure(decisive);
  bool known = false;
  for (const Failure& other : noted) {
    if (other.pod != decisive.name || (!failure.uid.empty() && other.uid != failure.uid)) continue;
    known = true;
    if (failure.uid.empty()) failure = other;  // its pod is gone
  }
  const std::string ended = headline_of(failure) + details_of(failure) + why;
  // What was noted is of another time, when it does not tell of this failure.
  if (!known || noted.size() < 2) return ended;
  const std::vector<const Failure*> firsts = possible_firsts(noted);
  if (firsts.size() != 1 || !firsts.front()->time) return ended + tell_unknown_first(firsts);
  const Failure& first = *firsts.front();
  if (first.pod == decisive.name) return ended + tell_others(noted, first);
  // Who failed first is named first: everybody who shortens this sentence blames the same replica.
  return headline_of(first) + details_of(first) + tell_others(noted, first) + "; then " + ended;
}

}  // namespace trainyard::jobs
