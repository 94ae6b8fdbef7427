#pragma once

#include "base/clock.h"
#include "base/notifier.h"

#include <atomic>

namespace trainyard {

/// A clock that moves only when a test says so. Sleepers whose time has come wake up then. What
/// time it is may be asked on any thread.
class FakeClock final : public Clock {
 public:
  explicit FakeClock(const Executor& executor) : moved_(executor) {}

  TimePoint now() const override { return now_; }
  WallTime wall() const override { return wall_; }
  awaitable<void> sleep_until(TimePoint when) override {
    ++sleepers_;
    const Leave leave{sleepers_};
    while (now() < when) co_await moved_.wait();
  }

  /// Both times move together.
  void advance(std::chrono::nanoseconds span) {
    now_ = now() + std::chrono::duration_cast<TimePoint::duration>(span);
    wall_ = wall() + std::chrono::duration_cast<WallTime::duration>(span);
    moved_.notify_all();
  }
  void set_wall(WallTime wall) { wall_ = wall; }
  /// How many coroutines sleep: when it is as many as expected, time may move.
  int sleepers() const { return sleepers_; }

 private:
  struct Leave {
    int& sleepers;
    ~Leave() { --sleepers; }
  };

  std::atomic<TimePoint> now_{TimePoint()};
  std::atomic<WallTime> wall_{
      WallTime(std::chrono::seconds(1'772'359'200))};  // 2026-03-01T10:00:00Z
  int sleepers_ = 0;
  Notifier moved_;
};

}  // namespace trainyard
