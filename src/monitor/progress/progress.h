#pragma once

#include "base/clock.h"
#include "monitor/progress/progress_line.h"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace trainyard::monitor {

/// How far a training has come, from what it has written.
struct Progress {
  std::optional<Counter> epoch;
  std::optional<Counter> step;
  std::string unit;             // what is counted, as the program calls it; empty: it does not say
  std::optional<double> share;  // 0 to 1 of the whole; none: it is not known how much that is
  std::optional<double> rate;   // steps, or where none are told epochs, a second
  bool rate_of_epochs = false;
  std::optional<std::chrono::seconds> left;            // at that rate
  std::vector<std::pair<std::string, double>> values;  // the last that were told
  WallTime at;                                         // when it was last told

  std::string unit_word() const { return unit.empty() ? "step" : unit; }
};

/// Lines of one log, oldest first; those that speak of no progress are passed over. Nothing when
/// none does. `now` is for what is left: a training that has said nothing for long is not done
/// sooner for it. Pure.
class ProgressOfLog {
 public:
  void add(WallTime time, std::string_view line);
  std::optional<Progress> tell(WallTime now) const;

 private:
  struct Mark {
    WallTime time;
    double position = 0;  // in steps, or epochs
    bool steps = false;
  };
  /// Where a line is within the whole; none: it cannot be compared with others.
  std::optional<double> share_of(const ProgressLine& line) const;
  std::optional<double> rate() const;

  std::optional<ProgressLine> last_;
  std::optional<Counter> epoch_;
  std::optional<Counter> step_;
  std::string unit_;
  std::map<std::string, double> values_;
  WallTime time_;
  bool epoch_done_ = false;  // epochs are told when they are over
  bool zero_based_ = false;  // the first epoch is called 0
  std::vector<Mark> marks_;
};

/// "epoch 2/5, step 130/600 (36 %), 4.2 steps/s, 3m left, loss 0.41", for tables.
std::string progress_words(const Progress& progress);

}  // namespace trainyard::monitor
