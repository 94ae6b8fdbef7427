#pragma once

#include "base/clock.h"
#include "contract/rank_activity.h"
#include "node/activity_limits.h"
#include "node/linux/kernel_wait.h"

#include <array>
#include <cstdint>
#include <optional>

namespace trainyard::node {

/// What a rank had done until a moment.
struct RankSample {
  TimePoint time;
  WaitKind doing = WaitKind::kOther;
  std::int64_t cpu_microseconds = 0;  // all its threads and processes
  std::int64_t main_nanoseconds = 0;  // its main thread
  std::int64_t file_bytes = 0;        // read and written, also its output
  /// Sent and received. None: not looked at, since other figures tell that it moves.
  std::optional<std::int64_t> socket_bytes;
  std::uint64_t family = 0;  // a mark of which processes it consists of
};

/// What it has done between two of them.
enum class Motion : std::uint8_t { kMoves, kMurmurs, kComputes, kNothing, kIsStopped };
/// Without what has passed through its sockets: kMoves is sure, the others are not.
Motion motion_without_sockets(const RankSample& before, const RankSample& after);
Motion motion_between(const RankSample& before, const RankSample& after);

/// Judges one rank by a row of samples. Pure: no clock, no I/O.
class RankWatch {
 public:
  explicit RankWatch(ActivityLimits limits) : limits_(limits) {}

  void add(const RankSample& sample);
  /// The same, but what has happened since the last one was our own doing.
  void add_disturbed(const RankSample& sample) { last_ = sample; }

  contract::RankState state() const { return state_; }
  /// When it last moved, or, of one that moves, when it began to.
  TimePoint since() const { return since_; }
  contract::RankPace pace() const { return pace_; }
  /// Whether anything is known: a server that has just started knows no more than it was told.
  bool is_sure() const { return sure_; }
  /// It has computed for a fifth of a second in all, as every training does before its first step.
  bool has_begun() const { return begun_; }

 private:
  void judge(Motion motion, TimePoint before, TimePoint now);
  void count(const RankSample& before, const RankSample& sample);
  void set(contract::RankState state, TimePoint since);
  bool has_pace() const {
    return state_ == contract::RankState::kMoves || state_ == contract::RankState::kMurmurs;
  }

  ActivityLimits limits_;
  std::optional<RankSample> last_;
  contract::RankState state_ = contract::RankState::kMoves;
  TimePoint since_{};
  std::optional<TimePoint> nothing_since_;  // it does nothing at all
  std::optional<TimePoint> still_since_;    // it computes at most
  std::optional<TimePoint> little_since_;   // it murmurs at most
  std::optional<TimePoint> stopped_since_;
  int stirs_ = 0;  // looks in a row at which a quiet one was found to compute
  bool begun_ = false;
  bool sure_ = false;

  struct Window {
    TimePoint begin{};
    int looks = 0;
    int lock = 0;
    int poll = 0;
    int socket = 0;
    int waits = 0;  // that began in it
  };
  contract::RankPace pace_of(const Window& window) const;
  Window window_;
  contract::RankPace last_pace_ = contract::RankPace::kMixed;
  int agreement_ = 0;  // windows in a row that showed it
  contract::RankPace pace_ = contract::RankPace::kMixed;
};

}  // namespace trainyard::node
