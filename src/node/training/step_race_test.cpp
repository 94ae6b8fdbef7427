#include "node/training/step_race.h"

#include <gtest/gtest.h>

namespace trainyard::node {
namespace {

using namespace std::chrono_literals;

class StepRaceTest : public testing::Test {
 protected:
  /// A window in which each rank counts at such a speed.
  void pass(const std::map<std::string, double>& speeds) {
    now_ += 180s;
    for (const auto& [name, speed] : speeds) {
      StepMark mark = marks_[name].value_or(StepMark{"step", 0, false, 0, now_ - 180s});
      mark.position += speed * 180;
      mark.at = now_;
      marks_[name] = mark;
    }
    race_.add(marks_);
  }
  WallTime now_{};
  std::map<std::string, std::optional<StepMark>> marks_;
  StepRace race_;
};

TEST_F(StepRaceTest, NamesWhoIsMuchSlowerInThreeWindowsInARow) {
  for (int window = 0; window < 3; ++window) {
    pass({{"a", 2}, {"b", 0.9}, {"c", 2.1}});
    EXPECT_EQ(race_.slowest(), "") << "the first is where they begin";
  }
  pass({{"a", 2}, {"b", 0.9}, {"c", 2.1}});
  EXPECT_EQ(race_.slowest(), "b");
  pass({{"a", 2}, {"b", 1.1}, {"c", 2.1}});
  EXPECT_EQ(race_.slowest(), "");
}

TEST_F(StepRaceTest, WhatSlowsDownEverybodyIsNobodys) {
  for (const double speed : {2.0, 2.0, 0.3, 0.3, 0.3, 0.3, 5.0, 5.0, 5.0}) {
    pass({{"a", speed}, {"b", speed * 0.8}});
    EXPECT_EQ(race_.slowest(), "");
  }
}

TEST_F(StepRaceTest, WhoCountsSomethingElseOrAnewMakesAWindowThatTellsNothing) {
  const auto race = [&](const std::function<void()>& change) {
    race_ = StepRace();
    marks_.clear();
    for (int window = 0; window < 3; ++window) pass({{"a", 2}, {"b", 0.5}});
    change();
    pass({{"a", 2}, {"b", 0.5}});
    return race_.slowest();
  };
  EXPECT_EQ(race([] {}), "b");
  EXPECT_EQ(race([&] { marks_["a"]->of = 20; }), "") << "it evaluates";
  EXPECT_EQ(race([&] { marks_["b"]->position = -1000; }), "") << "it was restarted";
  EXPECT_EQ(race([&] { marks_["c"] = std::nullopt; }), "") << "one that does not count has come";
  EXPECT_EQ(race([&] { marks_["b"]->unit = "batch"; }), "");
}

TEST(StepMarks, GoOnFromOneEpochToTheNextWhereTheirLengthIsTold) {
  monitor::Progress progress;
  EXPECT_FALSE(mark_of(std::nullopt));
  EXPECT_FALSE(mark_of(progress));
  progress.step = monitor::Counter{10, 0};
  progress.epoch = monitor::Counter{2, 5};
  EXPECT_EQ(mark_of(progress)->position, 10);
  EXPECT_FALSE(mark_of(progress)->epochs);
  progress.step->of = 94;
  EXPECT_EQ(mark_of(progress)->position, 2 * 94 + 10);
  EXPECT_TRUE(mark_of(progress)->epochs);
}

}  // namespace
}  // namespace trainyard::node
