#pragma once

#include "monitor/series/series_block.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace trainyard::monitor {

/// Equal steps of time, in milliseconds since 1970.
struct StepGrid {
  std::int64_t from = 0;
  std::int64_t step = 1000;
  std::size_t steps = 0;

  std::int64_t end() const { return from + step * static_cast<std::int64_t>(steps); }
};

/// What is known of one step.
struct StepValue {
  double known = 0;  // milliseconds of it; 0: nothing
  double mean = 0;   // over those
  float low = 0;
  float high = 0;
};

/// One metric over the steps of a grid: means by time, the least and the most of the samples whose
/// middle is in the step.
class StepReader {
 public:
  explicit StepReader(const StepGrid& grid)
      : grid_(grid), shares_(grid.steps), step_begin_(grid.from) {}

  /// Only blocks that touch the grid are looked into.
  void add(const std::vector<SeriesBlock>& blocks, std::size_t metric);
  /// Those that are in no block yet.
  void add(std::span<const SeriesRow> rows, std::size_t metric);
  std::vector<StepValue> values() const;

 private:
  /// What falls into one step.
  struct Share {
    double known = 0;  // milliseconds
    double mean = 0;
    bool ranged = false;  // low and high are
    float low = 0;
    float high = 0;
  };
  void spread(TimeSpan span, const ValueRange& value);
  static void note(Share& share, const ValueRange& value);

  StepGrid grid_;
  std::vector<Share> shares_;
  std::size_t step_ = 0;  // the last one
  std::int64_t step_begin_;
};

std::vector<StepValue> read_steps(const std::vector<SeriesBlock>& blocks, std::size_t metric,
                                  const StepGrid& grid);

enum class Together : std::uint8_t { kSum, kMean, kLeast, kGreatest };

/// Several as one, step by step, of those that are known there: the replicas of a job.
std::vector<StepValue> combine(const std::vector<std::vector<StepValue>>& all, Together how);

}  // namespace trainyard::monitor
