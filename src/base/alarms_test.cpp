#include "base/alarms.h"

#include "base/fake_clock.h"
#include "base/task_group.h"
#include "base/test_loop.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace trainyard {
namespace {

using namespace std::chrono_literals;

class AlarmsTest : public testing::Test {
 protected:
  AlarmsTest() {
    tasks_.spawn("alarms", alarms_.run());
    loop_.run_ready();
  }
  ~AlarmsTest() override { loop_.run(tasks_.stop()); }

  Alarms::Alarm set(std::chrono::seconds span, std::string word) {
    return alarms_.set(clock_.now() + span, [this, word = std::move(word)] { told_ += word; });
  }
  std::string after(std::chrono::seconds span) {
    loop_.run_ready();
    clock_.advance(span);
    loop_.run_ready();
    return told_;
  }

  TestLoop loop_;
  FakeClock clock_{loop_.executor()};
  Alarms alarms_{loop_.executor(), clock_};
  TaskGroup tasks_{loop_.executor()};
  std::string told_;
};

TEST_F(AlarmsTest, CallEachAtItsTimeWhateverTheOrderInWhichTheyWereSet) {
  const auto late = set(60s, "late ");
  const auto soon = set(10s, "soon ");
  const auto same = set(10s, "same ");
  EXPECT_EQ(after(9s), "");
  EXPECT_EQ(after(1s), "soon same ");
  EXPECT_EQ(after(49s), "soon same ");
  EXPECT_EQ(after(1s), "soon same late ");
  EXPECT_EQ(alarms_.size(), 0U);
}

TEST_F(AlarmsTest, CallNobodyWhoNoLongerWaits) {
  std::optional<Alarms::Alarm> gone(set(10s, "gone "));
  const auto stays = set(10s, "stays ");
  gone.reset();
  EXPECT_EQ(after(10s), "stays ");
}

TEST_F(AlarmsTest, SleepAsOneHoweverManyWait) {
  std::vector<Alarms::Alarm> many;
  for (int i = 0; i < 100; ++i) many.push_back(set(10s, "."));
  loop_.run_ready();
  EXPECT_EQ(clock_.sleepers(), 1);
  EXPECT_EQ(after(10s).size(), 100U);
}

TEST_F(AlarmsTest, OneThatIsDueAlreadyIsCalledAtOnce) {
  const auto past = set(-5s, "past");
  loop_.run_ready();
  EXPECT_EQ(told_, "past");
}

}  // namespace
}  // namespace trainyard
