#include "base/unexpected.h"

#include "base/notifier.h"
#include "base/task_group.h"
#include "base/test_loop.h"

#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>
#include <gtest/gtest.h>

#include <stdexcept>

namespace trainyard {
namespace {

awaitable<void> throw_it() {
  throw std::out_of_range("no such key");
  co_return;
}

awaitable<void> wait_for_ever(Executor loop) {
  Notifier never(loop);
  co_await never.wait();
}

TEST(Unexpected, SaysWhatItWas) {
  const std::string text = describe(std::make_exception_ptr(std::out_of_range("no such key")));
  EXPECT_EQ(text, "no such key (std::out_of_range)");
  EXPECT_EQ(describe(std::make_exception_ptr(3)), "int");
}

TEST(Unexpected, KnowsWhatOnlyEndsACancelledTask) {
  const boost::system::system_error cancelled(boost::asio::error::operation_aborted);
  EXPECT_TRUE(is_cancellation(std::make_exception_ptr(cancelled)));
  EXPECT_FALSE(is_cancellation(std::make_exception_ptr(std::out_of_range("x"))));
}

TEST(Unexpected, WhatIsContainedIsCountedAndHasAnId) {
  TestLoop loop;
  const std::uint64_t before = contained_failures();
  const std::string id = loop.run(run_contained("pod default/train", throw_it()));
  EXPECT_EQ(id.size(), 8U);
  EXPECT_EQ(contained_failures(), before + 1);
}

TEST(Unexpected, ATaskThatServesOneEndsAlone) {
  TestLoop loop;
  TaskGroup group(loop.executor());
  group.spawn("others", wait_for_ever(loop.executor()));
  group.spawn_contained("one", throw_it());
  loop.run_ready();
  EXPECT_EQ(group.size(), 1U);
  loop.run(group.stop());
}

TEST(UnexpectedDeathTest, ATaskThatAllNeedEndsTheProcessWithItsName) {
  EXPECT_DEATH(
      {
        TestLoop loop;
        TaskGroup group(loop.executor());
        group.spawn("watch pods", throw_it());
        loop.run_ready();
      },
      "watch pods.*no such key");
}

}  // namespace
}  // namespace trainyard
