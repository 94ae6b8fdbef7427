#include "base/turnstile.h"

#include "base/task_group.h"
#include "base/test_loop.h"
#include "base/yield.h"

#include <boost/asio/post.hpp>
#include <gtest/gtest.h>

#include <vector>

namespace trainyard {
namespace {

awaitable<void> go(Turnstile& turnstile, int number, std::vector<int>& seen) {
  co_await turnstile.pass();
  seen.push_back(number);
}

awaitable<void> count_turns(int& turns, const std::vector<int>& seen, std::size_t until) {
  while (seen.size() < until) {
    ++turns;
    co_await yield_to_others();
  }
}

TEST(Turnstile, LetsOneThroughInATurnOfTheLoopAndInOrder) {
  TestLoop loop;
  Turnstile turnstile(loop.executor());
  TaskGroup tasks(loop.executor());
  std::vector<int> seen;
  int turns = 0;
  for (int i = 0; i < 50; ++i) tasks.spawn("one", go(turnstile, i, seen));
  loop.run(count_turns(turns, seen, 50));
  EXPECT_GE(turns, 49) << "others had a turn between any two";
  for (int i = 0; i < 50; ++i) EXPECT_EQ(seen[static_cast<std::size_t>(i)], i);
  loop.run(tasks.stop());
}

TEST(Turnstile, PassesWhoIsAloneAtOnceAndForgetsWhoHasLeft) {
  TestLoop loop;
  Turnstile turnstile(loop.executor());
  std::vector<int> seen;
  loop.run(go(turnstile, 1, seen));
  {
    TaskGroup tasks(loop.executor());
    for (int i = 0; i < 5; ++i) tasks.spawn("one", go(turnstile, i, seen));
    loop.run(tasks.stop());
  }
  loop.run(go(turnstile, 2, seen));
  EXPECT_EQ(seen.back(), 2);
}

}  // namespace
}  // namespace trainyard
