#include "base/elsewhere.h"

#include "base/task_group.h"
#include "base/test_loop.h"

#include <boost/asio/thread_pool.hpp>
#include <gtest/gtest.h>

#include <future>
#include <stdexcept>
#include <thread>

namespace trainyard {
namespace {

TEST(RunElsewhere, ComesBackWithTheValue) {
  boost::asio::thread_pool other(1);
  TestLoop loop;
  const auto there =
      loop.run(run_elsewhere(other.get_executor(), [] { return std::this_thread::get_id(); }));
  EXPECT_NE(there, std::this_thread::get_id());
}

TEST(RunElsewhere, ComesBackWithTheException) {
  boost::asio::thread_pool other(1);
  TestLoop loop;
  const auto fail = []() -> int { throw std::out_of_range("no such key"); };
  EXPECT_THROW(loop.run(run_elsewhere(other.get_executor(), fail)), std::out_of_range);
  EXPECT_EQ(loop.run(run_elsewhere(other.get_executor(), [] { return 2; })), 2);
}

awaitable<void> wait_for_it(Executor other, std::shared_future<void> gate, bool& finished) {
  co_await run_elsewhere(std::move(other), [gate] {
    gate.wait();
    return 1;
  });
  finished = true;
}

TEST(RunElsewhere, WhoIsCancelledDoesNotWaitForTheWork) {
  boost::asio::thread_pool other(1);
  TestLoop loop;
  std::promise<void> gate;
  const std::shared_future<void> opened = gate.get_future().share();
  bool finished = false;
  TaskGroup tasks(loop.executor());
  // Many: those that wait in the thread's queue are left behind as well.
  for (int i = 0; i < 100; ++i) {
    tasks.spawn("waits", wait_for_it(other.get_executor(), opened, finished));
  }
  loop.run_ready();
  loop.run(tasks.stop());
  EXPECT_FALSE(finished);
  gate.set_value();
  other.join();
  loop.run_ready();  // what comes back finds nobody
  EXPECT_FALSE(finished);
}

}  // namespace
}  // namespace trainyard
