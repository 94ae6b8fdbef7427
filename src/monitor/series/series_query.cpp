#include "monitor/series/series_query.h"

#include <algorithm>

namespace trainyard::monitor {

void StepReader::note(Share& share, const ValueRange& value) {
  share.low = share.ranged ? std::min(share.low, value.low) : value.low;
  share.high = share.ranged ? std::max(share.high, value.high) : value.high;
  share.ranged = true;
}

void StepReader::spread(TimeSpan span, const ValueRange& value) {
  if (!value.known()) return;
  std::int64_t at = std::max(span.begin, grid_.from);
  const std::int64_t end = std::min(span.end, grid_.end());
  const std::int64_t middle = span.begin + (span.end - span.begin) / 2;
  while (at < end) {
    // Most rows are in the step of the one before.
    if (at < step_begin_ || at >= step_begin_ + grid_.step) {
      step_ = static_cast<std::size_t>((at - grid_.from) / grid_.step);
      step_begin_ = grid_.from + static_cast<std::int64_t>(step_) * grid_.step;
    }
    const std::int64_t next = std::min(end, step_begin_ + grid_.step);
    Share& share = shares_[step_];
    const auto part = static_cast<double>(next - at);
    share.known += part;
    share.mean += (value.mean - share.mean) * (part / share.known);
    // The extremes of a longer row may have been anywhere in it.
    if (value.is_wide() || (at <= middle && middle < next)) note(share, value);
    at = next;
  }
}

void StepReader::add(const std::vector<SeriesBlock>& blocks, std::size_t metric) {
  for (const SeriesBlock& block : blocks) {
    if (block.span().end <= grid_.from || block.span().begin >= grid_.end()) continue;
    const std::vector<TimeSpan>& times = block.times();
    const std::vector<ValueRange> values = block.column(metric);
    for (std::size_t i = 0; i < std::min(times.size(), values.size()); ++i) {
      spread(times[i], values[i]);
    }
  }
}

void StepReader::add(std::span<const SeriesRow> rows, std::size_t metric) {
  for (const SeriesRow& row : rows) {
    if (metric < row.values.size()) spread(row.span, row.values[metric]);
  }
}

std::vector<StepValue> StepReader::values() const {
  std::vector<StepValue> steps;
  steps.reserve(shares_.size());
  for (const Share& share : shares_) {
    const auto mean = static_cast<float>(share.mean);
    const float low = share.ranged ? std::min(share.low, mean) : mean;
    const float high = share.ranged ? std::max(share.high, mean) : mean;
    steps.push_back({share.known, share.mean, low, high});
  }
  return steps;
}

std::vector<StepValue> read_steps(const std::vector<SeriesBlock>& blocks, std::size_t metric,
                                  const StepGrid& grid) {
  StepReader reader(grid);
  reader.add(blocks, metric);
  return reader.values();
}

std::vector<StepValue> combine(const std::vector<std::vector<StepValue>>& all, Together how) {
  std::vector<StepValue> steps;
  std::vector<std::size_t> counts;
  for (const std::vector<StepValue>& one : all) {
    steps.resize(std::max(steps.size(), one.size()));
    counts.resize(steps.size());
    for (std::size_t i = 0; i < one.size(); ++i) {
      if (one[i].known <= 0) continue;
      StepValue& into = steps[i];
      const bool first = counts[i]++ == 0;
      if (first) {
        into = one[i];
        continue;
      }
      into.known = std::max(into.known, one[i].known);
      if (how == Together::kLeast || how == Together::kGreatest) {
        const bool least = how == Together::kLeast;
        into.mean = least ? std::min(into.mean, one[i].mean) : std::max(into.mean, one[i].mean);
        into.low = std::min(into.low, one[i].low);
        into.high = std::max(into.high, one[i].high);
        continue;
      }
      into.mean += one[i].mean;
      into.low += one[i].low;
      into.high += one[i].high;
    }
  }
  if (how != Together::kMean) return steps;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (counts[i] == 0) continue;
    const auto count = static_cast<float>(counts[i]);
    steps[i].mean /= count;
    steps[i].low /= count;
    steps[i].high /= count;
  }
  return steps;
}

}  // namespace trainyard::monitor
