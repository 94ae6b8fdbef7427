#pragma once

#include "base/async.h"
#include "base/result.h"

#include <chrono>
#include <string>

namespace trainyard {

using TimePoint = std::chrono::steady_clock::time_point;  // for intervals
using WallTime = std::chrono::system_clock::time_point;   // for times that people read

/// The only place that tells the time, so that tests can move it.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual TimePoint now() const = 0;
  virtual WallTime wall() const = 0;
  /// Returns when `when` has come; cancelling the coroutine ends it earlier.
  virtual awaitable<void> sleep_until(TimePoint when) = 0;

  awaitable<void> sleep_for(std::chrono::nanoseconds span);
};

class SystemClock final : public Clock {
 public:
  TimePoint now() const override;
  WallTime wall() const override;
  awaitable<void> sleep_until(TimePoint when) override;
};

/// 2026-11-16T01:02:03Z, as metadata.creationTimestamp is written.
std::string format_time(WallTime time);
/// 2026-11-16T01:02:03.000456Z, as a Lease's MicroTime is written.
std::string format_time_micro(WallTime time);
/// Reads both forms, any number of fraction digits, and offsets such as +08:00.
Result<WallTime> parse_time(std::string_view text);
/// 5s, 12m, 3h4m, 2d: how kubectl prints an age.
std::string format_age(std::chrono::seconds age);

}  // namespace trainyard
