#include "base/task_group.h"

#include "base/clock.h"
#include "base/notifier.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <gtest/gtest.h>

#include <stdexcept>

namespace trainyard {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

struct Witness {
  bool& gone;
  ~Witness() { gone = true; }
};

awaitable<void> sleep_long(bool& unwound) {
  Witness witness{unwound};
  SystemClock clock;
  co_await clock.sleep_for(1h);
}

awaitable<void> fail() {
  throw std::runtime_error("on purpose");
  co_return;
}

awaitable<void> wait_twice(Notifier& notifier, int& wakes) {
  while (true) {
    co_await notifier.wait();
    ++wakes;
  }
}

awaitable<void> run_until_stopped(TaskGroup& group, Notifier& notifier) {
  SystemClock clock;
  co_await clock.sleep_for(1ms);
  notifier.notify_all();
  co_await clock.sleep_for(1ms);
  co_await group.stop();
}

TEST(TaskGroup, StopUnwindsSleepersAndSurvivesAFailedTask) {
  asio::io_context loop;
  TaskGroup group(loop.get_executor());
  Notifier notifier(loop.get_executor());
  bool unwound = false;
  int wakes = 0;
  group.spawn("sleeper", sleep_long(unwound));
  group.spawn_contained("failing", fail());
  group.spawn("waiter", wait_twice(notifier, wakes));
  asio::co_spawn(loop, run_until_stopped(group, notifier), asio::detached);
  loop.run();
  EXPECT_TRUE(unwound);
  EXPECT_EQ(group.size(), 0U);
  EXPECT_GE(wakes, 1);
}

awaitable<void> clean(bool& cleaned) {
  SystemClock clock;
  co_await clock.sleep_for(2ms);  // must not be cut short by the cancellation of the body
  cleaned = true;
}

TEST(WithCleanup, CleansUpToTheEndAlthoughTheBodyWasCancelled) {
  asio::io_context loop;
  TaskGroup group(loop.get_executor());
  Notifier notifier(loop.get_executor());
  bool unwound = false;
  bool cleaned = false;
  group.spawn("cleaner", with_cleanup(sleep_long(unwound), clean(cleaned)));
  asio::co_spawn(loop, run_until_stopped(group, notifier), asio::detached);
  loop.run();
  EXPECT_TRUE(unwound);
  EXPECT_TRUE(cleaned);
}

awaitable<void> nothing() {
  co_return;
}

awaitable<void> clean_then_sleep(bool& cleaned, bool& unwound) {
  co_await with_cleanup(nothing(), clean(cleaned));
  co_await sleep_long(unwound);
}

TEST(WithCleanup, LeavesItsCallerAsCancellableAsBefore) {
  asio::io_context loop;
  TaskGroup group(loop.get_executor());
  Notifier notifier(loop.get_executor());
  bool cleaned = false;
  bool unwound = false;
  group.spawn("both", clean_then_sleep(cleaned, unwound));
  asio::steady_timer later(loop, 20ms);
  later.async_wait([&](const auto&) {
    EXPECT_TRUE(cleaned);
    asio::co_spawn(loop, run_until_stopped(group, notifier), asio::detached);
  });
  loop.run_for(5s);
  EXPECT_TRUE(unwound);
  EXPECT_EQ(group.size(), 0U);
}

TEST(WithCleanup, RemembersACancellationThatCameDuringTheCleanup) {
  asio::io_context loop;
  TaskGroup group(loop.get_executor());
  bool cleaned = false;
  bool unwound = false;
  group.spawn("both", clean_then_sleep(cleaned, unwound));
  asio::post(loop, [&] { asio::co_spawn(loop, group.stop(), asio::detached); });
  loop.run_for(5s);
  EXPECT_TRUE(cleaned);
  EXPECT_EQ(group.size(), 0U);
}

TEST(TaskGroup, DropsWhatIsSpawnedAfterStop) {
  asio::io_context loop;
  TaskGroup group(loop.get_executor());
  Notifier notifier(loop.get_executor());
  asio::co_spawn(loop, run_until_stopped(group, notifier), asio::detached);
  loop.run();
  bool unwound = false;
  group.spawn("late", sleep_long(unwound));
  EXPECT_EQ(group.size(), 0U);
}

}  // namespace
}  // namespace trainyard
