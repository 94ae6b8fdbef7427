#pragma once

#include "client/rank_activity.h"
#include "monitor/progress/progress.h"

#include <deque>
#include <optional>

namespace trainyard::node {

/// How fast a rank counts its steps, by its own log: the middle of three readings, which whoever
/// has it makes a window apart (activity_limits.h). Pure.
class StepPace {
 public:
  /// `now`: a log that has said nothing new since the last reading tells of no pace.
  void add(const std::optional<monitor::Progress>& seen, WallTime now);

  /// It was looked for often enough; there may be none all the same.
  bool is_known() const { return readings_ >= kReadings; }
  std::optional<client::StepRate> rate() const;

 private:
  static constexpr int kReadings = 3;

  int readings_ = 0;
  std::optional<WallTime> last_reading_;
  std::deque<client::StepRate> rates_;  // of the last readings, all of the same count
};

}  // namespace trainyard::node
