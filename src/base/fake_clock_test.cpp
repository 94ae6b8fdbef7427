#include "base/fake_clock.h"

#include "base/task_group.h"
#include "base/test_loop.h"

#include <gtest/gtest.h>

namespace trainyard {
namespace {

using namespace std::chrono_literals;

awaitable<void> sleep_then_count(Clock& clock, std::chrono::seconds span, int& woken) {
  co_await clock.sleep_for(span);
  ++woken;
}

TEST(FakeClock, WakesThoseWhoseTimeHasComeAndNobodyElse) {
  TestLoop loop;
  FakeClock clock(loop.executor());
  TaskGroup tasks(loop.executor());
  int woken = 0;
  tasks.spawn("short", sleep_then_count(clock, 5s, woken));
  tasks.spawn("long", sleep_then_count(clock, 60s, woken));
  loop.run_ready();
  EXPECT_EQ(clock.sleepers(), 2);
  clock.advance(5s);
  loop.run_ready();
  EXPECT_EQ(woken, 1);
  EXPECT_EQ(clock.sleepers(), 1);
  loop.run(tasks.stop());
  EXPECT_EQ(woken, 1) << "who is cancelled does not wake up";
  EXPECT_EQ(clock.sleepers(), 0);
}

TEST(FakeClock, MovesBothTimesTogether) {
  TestLoop loop;
  FakeClock clock(loop.executor());
  const TimePoint before = clock.now();
  EXPECT_EQ(format_time(clock.wall()), "2026-03-01T10:00:00Z");
  clock.advance(90s);
  EXPECT_EQ(clock.now() - before, 90s);
  EXPECT_EQ(format_time(clock.wall()), "2026-03-01T10:01:30Z");
}

}  // namespace
}  // namespace trainyard
