#pragma once

#include "base/clock.h"
#include "monitor/progress/progress.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace trainyard::node {

/// How far a rank has counted its steps, where its log tells.
struct StepMark {
  std::string unit;     // what is counted: "step", "batch"
  std::int64_t of = 0;  // up to which number; 0: it is not told
  bool epochs = false;  // the position goes on from one epoch to the next
  double position = 0;
  WallTime at;  // when it said so
  bool counts_as(const StepMark& other) const {
    return unit == other.unit && of == other.of && epochs == other.epochs;
  }
};
std::optional<StepMark> mark_of(const std::optional<monitor::Progress>& progress);

/// Finds the rank that counts its steps much slower than all others that do the same: where nobody
/// waits for anybody, as workers of a parameter server do not, that is all that shows it. Speeds
/// are of one window for all, so that what slows down everybody is nobody's. Pure.
class StepRace {
 public:
  /// A window is over: where each rank is now, by a name that stays its own. One of whom nothing is
  /// known, who counts something else, or began anew makes it a window that tells nothing.
  void add(const std::map<std::string, std::optional<StepMark>>& marks);
  /// Who was less than half as fast as each of the others, in three windows in a row; empty:
  /// nobody.
  std::string slowest() const;

 private:
  std::string slowest_in_window(const std::map<std::string, std::optional<StepMark>>& marks) const;

  std::map<std::string, std::optional<StepMark>> before_;
  std::string candidate_;
  int agreement_ = 0;  // windows in a row that showed it
};

}  // namespace trainyard::node
