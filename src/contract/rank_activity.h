#pragma once

#include "base/clock.h"
#include "object/json/json.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard::contract {

/// The type of a pod's condition in which our node tells of ranks that do nothing. A pod all of
/// whose ranks have always moved has none.
inline constexpr const char* kActivityCondition = "trainyard.dev/Activity";

/// On a pod: how long its ranks may do nothing before that is told, such as 10m; 0: for ever.
inline constexpr const char* kStallAfterAnnotation = "trainyard.dev/stall-after";

enum class RankState : std::uint8_t {
  kMoves,
  kQuiet,      // it has neither computed, nor read, written, sent or received anything for long
  kSpins,      // it has computed for very long, and done nothing else
  kIsStopped,  // by a signal
  kMurmurs     // little passes, as when somebody asks again and again whether others are there
};

/// What a rank was found in most of the time while it moved, or how it compares.
enum class RankPace : std::uint8_t {
  kMixed,
  kWorks,        // it seldom waited for anything
  kWaitsInLock,  // for another thread: so gloo waits for other ranks
  kWaitsInPoll,
  kWaitsInSocket,
  kCountsSlowly  // its steps, by its log, at less than half the speed of the others
};

/// How one rank, or a container without ranks, stands.
struct RankReport {
  std::string container;
  std::optional<int> rank;  // as RANK says
  int world = 0;            // as WORLD_SIZE says; 0: it does not
  RankState state = RankState::kMoves;
  RankPace pace = RankPace::kMixed;
  bool began = false;  // it has computed a little since it started: it does not only sleep
  WallTime since;      // when it was last in another state
  std::string waits;   // in words: "sleeps", "reads the FIFO /data/x"
  std::vector<std::string> stack;  // "train.py:33 in main", innermost first; empty: not Python's
  bool operator==(const RankReport&) const = default;
};

/// The condition's message, and back. What is no such message tells of no ranks.
std::string activity_message(const std::vector<RankReport>& reports);
std::vector<RankReport> read_activity(std::string_view message);
/// What a pod's status says.
std::vector<RankReport> activity_of(const Json& pod);

const char* name_of(RankState state);

}  // namespace trainyard::contract
