#include "node/step_pace.h"

#include <gtest/gtest.h>

namespace trainyard::node {
namespace {

using namespace std::chrono_literals;

monitor::Progress counted(double rate, std::int64_t of, WallTime at) {
  monitor::Progress progress;
  progress.step = monitor::Counter{7, of};
  progress.rate = rate;
  progress.at = at;
  return progress;
}

TEST(StepPace, IsTheMiddleOfThreeReadings) {
  StepPace pace;
  WallTime now{};
  for (const double rate : {2.0, 9.0, 3.0}) {
    EXPECT_FALSE(pace.is_known());
    EXPECT_FALSE(pace.rate());
    now += 180s;
    pace.add(counted(rate, 100, now - 1s), now);
  }
  EXPECT_TRUE(pace.is_known());
  EXPECT_EQ(pace.rate(), (client::StepRate{"step", 100, 3.0}));
}

TEST(StepPace, IsOfOneCountThatGoesOn) {
  StepPace pace;
  WallTime now{};
  const auto read = [&](const std::optional<monitor::Progress>& seen) {
    now += 180s;
    pace.add(seen, now);
  };
  for (int i = 0; i < 3; ++i) read(counted(2, 100, now + 100s));
  EXPECT_TRUE(pace.rate());
  read(counted(2, 20, now + 100s));
  EXPECT_FALSE(pace.rate()) << "it counts something else now, such as what it evaluates";
  for (int i = 0; i < 3; ++i) read(counted(2, 100, now + 100s));
  EXPECT_TRUE(pace.rate());
  read(counted(2, 100, now - 300s));
  EXPECT_FALSE(pace.rate()) << "its log has said nothing new";
  EXPECT_TRUE(pace.is_known());
  for (int i = 0; i < 3; ++i) read(std::nullopt);
  EXPECT_FALSE(pace.rate());
  monitor::Progress epochs = counted(2, 100, now);
  epochs.rate_of_epochs = true;
  for (int i = 0; i < 3; ++i) {
    epochs.at = now + 100s;
    read(epochs);
  }
  EXPECT_FALSE(pace.rate());
}

}  // namespace
}  // namespace trainyard::node
