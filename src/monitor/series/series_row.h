#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace trainyard::monitor {

/// A while, in milliseconds since 1970. Its end is not part of it.
struct TimeSpan {
  std::int64_t begin = 0;
  std::int64_t end = 0;

  bool operator==(const TimeSpan&) const = default;
};

/// What a metric was within a while. Of one sample all three are the same. NaN: not known.
struct ValueRange {
  float mean = 0;
  float low = 0;
  float high = 0;

  static ValueRange of(float value) { return {value, value, value}; }
  bool known() const { return !std::isnan(mean); }
  /// Whether it is more than one number.
  bool is_wide() const { return known() && low != high; }
  bool operator==(const ValueRange&) const = default;
};

/// What all metrics of something were within a while, in an order that whoever writes them knows.
struct SeriesRow {
  TimeSpan span;
  std::vector<ValueRange> values;

  bool operator==(const SeriesRow&) const = default;
};

}  // namespace trainyard::monitor
