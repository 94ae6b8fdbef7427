#include "client/watching/parallel.h"

#include "base/fake_clock.h"
#include "base/task_group.h"
#include "base/test_loop.h"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace trainyard::client {
namespace {

using namespace std::chrono_literals;

class ParallelTest : public testing::Test {
 protected:
  ParallelTest() : clock_(loop_.executor()) {}

  awaitable<Result<>> one(std::size_t index) {
    most_ = std::max(most_, ++now_);
    const std::shared_ptr<int> leave(&now_, [](int* now) { --*now; });
    co_await clock_.sleep_for(10ms);
    done_.push_back(index);
    if (index == failing_) co_return Error(Code::kUnavailable, "no");
    co_return Ok();
  }
  awaitable<void> all(std::size_t count) {
    outcome_ = co_await run_parallel(count, 4, [this](std::size_t index) { return one(index); });
    ended_ = true;
  }

  TestLoop loop_;
  FakeClock clock_;
  int now_ = 0;
  int most_ = 0;
  std::size_t failing_ = 1000;
  std::vector<std::size_t> done_;
  Result<> outcome_ = Ok();
  bool ended_ = false;
};

TEST_F(ParallelTest, RunsAllButNeverMoreAtATimeThanAllowed) {
  TaskGroup group(loop_.executor());
  failing_ = 2;
  group.spawn("all", all(10));
  for (int i = 0; i < 3; ++i) {
    loop_.run_ready();
    EXPECT_FALSE(ended_);
    clock_.advance(10ms);
  }
  loop_.run_ready();
  EXPECT_TRUE(ended_);
  EXPECT_EQ(done_.size(), 10U);
  EXPECT_EQ(most_, 4);
  EXPECT_TRUE(outcome_.failed_with(Code::kUnavailable));
  loop_.run(group.stop());
}

awaitable<Result<>> throw_at_two(FakeClock& clock, std::size_t index, int& begun) {
  ++begun;
  co_await clock.sleep_for(10ms);
  if (index == 2) throw std::out_of_range("no such key");
  co_return Ok();
}

TEST_F(ParallelTest, CarriesTheFirstExceptionOut) {
  TaskGroup group(loop_.executor());
  int begun = 0;
  std::string said;
  const auto all = [&]() -> awaitable<void> {
    try {
      (void)co_await run_parallel(
          100, 4, [&](std::size_t index) { return throw_at_two(clock_, index, begun); });
    } catch (const std::out_of_range& error) {
      said = error.what();
    }
  };
  group.spawn("all", all());
  for (int i = 0; i < 3; ++i) {
    loop_.run_ready();
    clock_.advance(10ms);
  }
  loop_.run_ready();
  EXPECT_EQ(said, "no such key");
  EXPECT_LT(begun, 12);
  EXPECT_EQ(group.size(), 0U);
  loop_.run(group.stop());
}

TEST_F(ParallelTest, IsDoneAtOnceWithNothing) {
  EXPECT_TRUE(loop_.run(run_parallel(0, 4, [this](std::size_t index) { return one(index); })));
}

TEST_F(ParallelTest, EndsItsTasksBeforeItEndsItselfWhenCancelled) {
  TaskGroup group(loop_.executor());
  group.spawn("all", all(10));
  loop_.run_ready();
  EXPECT_EQ(now_, 4);
  loop_.run(group.stop());
  EXPECT_EQ(now_, 0);
  EXPECT_FALSE(ended_);
}

}  // namespace
}  // namespace trainyard::client
