#include "node/training/rank_watch.h"

#include <gtest/gtest.h>

#include <random>

namespace trainyard::node {
namespace {

using namespace std::chrono_literals;
using contract::RankPace;
using contract::RankState;

/// A rank that lives on paper: each phase says what it does in a second.
struct Doing {
  WaitKind kind = WaitKind::kLock;
  double cpu = 0.003;  // gloo's threads, of one who waits
  double main_cpu = 0;
  double file = 0;
  double socket = 0;
};
const Doing kTrains{WaitKind::kRuns, 0.9, 0.9, 400, 50'000};
const Doing kWaits{};
const Doing kLoops{WaitKind::kRuns, 1, 1, 0, 0};
const Doing kSleepsForData{WaitKind::kSleeps, 0.0001, 0.0001, 0, 0};
/// torch's rendezvous.
const Doing kAsksForOthers{WaitKind::kSleeps, 0.011, 0.01, 0, 12'000};
const Doing kIsHeld{WaitKind::kIsStopped, 0, 0, 0, 0};
/// Rank 0 evaluates: it reads files and prints.
const Doing kEvaluates{WaitKind::kRuns, 1, 1, 5'000, 0};
/// A checkpoint to a slow disk.
const Doing kSaves{WaitKind::kDisk, 0.05, 0.05, 3e6, 0};

class RankWatchTest : public testing::Test {
 protected:
  void pass(std::chrono::seconds span, const Doing& doing) {
    const auto end = sample_.time + span;
    while (sample_.time < end) {
      const std::chrono::duration<double> step = limits_.every();
      sample_.time += limits_.every();
      sample_.doing = doing.kind;
      sample_.cpu_microseconds += static_cast<std::int64_t>(doing.cpu * step.count() * 1e6);
      sample_.main_nanoseconds += static_cast<std::int64_t>(doing.main_cpu * step.count() * 1e9);
      sample_.file_bytes += static_cast<std::int64_t>(doing.file * step.count());
      sample_.socket_bytes =
          *sample_.socket_bytes + static_cast<std::int64_t>(doing.socket * step.count());
      watch_.add(sample_);
      if (watch_.state() != RankState::kMoves) ever_still_ = true;
    }
  }
  RankWatchTest() {
    sample_.socket_bytes = 0;
    watch_.add(sample_);
  }
  ActivityLimits limits_;
  RankWatch watch_{limits_};
  RankSample sample_;
  bool ever_still_ = false;
};

TEST_F(RankWatchTest, WhoWaitsForThreeMinutesIsQuietSinceItBegan) {
  pass(60s, kTrains);
  EXPECT_TRUE(watch_.has_begun());
  const TimePoint begin = sample_.time;
  pass(175s, kWaits);
  EXPECT_EQ(watch_.state(), RankState::kMoves);
  pass(5s, kWaits);
  EXPECT_EQ(watch_.state(), RankState::kQuiet);
  EXPECT_EQ(watch_.since(), begin);
  pass(5s, kTrains);
  EXPECT_EQ(watch_.state(), RankState::kMoves);
}

TEST_F(RankWatchTest, ASleepingLoaderAndADiskAreQuietToo) {
  pass(180s, kSleepsForData);
  EXPECT_EQ(watch_.state(), RankState::kQuiet);
}

TEST_F(RankWatchTest, AMomentsWorkDoesNotWakeWhoHasSleptForLong) {
  pass(200s, kWaits);
  pass(5s, kLoops);
  EXPECT_EQ(watch_.state(), RankState::kQuiet);
  pass(5s, kWaits);
  EXPECT_EQ(watch_.state(), RankState::kQuiet);
  pass(10s, kLoops);
  EXPECT_EQ(watch_.state(), RankState::kMoves);
}

TEST_F(RankWatchTest, WhoAsksForOthersMurmurs) {
  pass(60s, kTrains);
  pass(90s, kAsksForOthers);
  pass(5s, kLoops);  // found on the CPU by chance
  pass(80s, kAsksForOthers);
  EXPECT_EQ(watch_.state(), RankState::kMoves);
  pass(10s, kAsksForOthers);
  EXPECT_EQ(watch_.state(), RankState::kMurmurs);
  pass(5s, kTrains);
  EXPECT_EQ(watch_.state(), RankState::kMoves);
}

TEST_F(RankWatchTest, AnEndlessLoopIsToldAfterTenMinutes) {
  pass(60s, kTrains);
  pass(595s, kLoops);
  EXPECT_EQ(watch_.state(), RankState::kMoves);
  pass(5s, kLoops);
  EXPECT_EQ(watch_.state(), RankState::kSpins);
  pass(5s, kEvaluates);  // it prints a line
  EXPECT_EQ(watch_.state(), RankState::kMoves);
}

TEST_F(RankWatchTest, WhoIsStoppedIsToldSoon) {
  pass(60s, kTrains);
  pass(25s, kIsHeld);
  EXPECT_EQ(watch_.state(), RankState::kMoves);
  pass(5s, kIsHeld);
  EXPECT_EQ(watch_.state(), RankState::kIsStopped);
  pass(5s, kTrains);
  EXPECT_EQ(watch_.state(), RankState::kMoves);
}

TEST_F(RankWatchTest, WhatCannotBeComparedCountsAsMotion) {
  for (int i = 0; i < 100; ++i) {
    sample_.time += 5s;
    sample_.socket_bytes.reset();
    watch_.add(sample_);
    EXPECT_EQ(watch_.state(), RankState::kMoves);
  }
  sample_.doing = WaitKind::kLock;
  sample_.time += 5s;
  sample_.family = 7;  // a loader has come
  sample_.socket_bytes = 0;
  RankSample next = sample_;
  next.time += 5s;
  next.family = 8;
  EXPECT_EQ(motion_between(sample_, next), Motion::kMoves);
}

TEST_F(RankWatchTest, OurOwnDisturbanceIsNoMotion) {
  pass(200s, kWaits);
  sample_.time += 5s;
  sample_.file_bytes += 100'000;  // it has written its stack for us
  watch_.add_disturbed(sample_);
  pass(5s, kWaits);
  EXPECT_EQ(watch_.state(), RankState::kQuiet);
}

TEST_F(RankWatchTest, ThePaceIsToldWhenThreeWindowsAgree) {
  const Doing mostly_waits{WaitKind::kLock, 0.1, 0.1, 300, 50'000};
  pass(360s, mostly_waits);
  EXPECT_EQ(watch_.pace(), RankPace::kMixed);
  pass(185s, mostly_waits);
  EXPECT_EQ(watch_.pace(), RankPace::kWaitsInLock);
  pass(365s, kTrains);
  EXPECT_EQ(watch_.pace(), RankPace::kWaitsInLock);
  pass(185s, kTrains);
  EXPECT_EQ(watch_.pace(), RankPace::kWorks);
}

TEST_F(RankWatchTest, AFewLongWaitsAreNoPaceHoweverMuchOfTheTimeTheyTake) {
  // As long as another rank evaluates; of ten minutes, eight. Its loaders go on reading meanwhile.
  for (const Doing& waiting : {kWaits, Doing{WaitKind::kLock, 0.5, 0, 5'000, 0}}) {
    for (int i = 0; i < 20; ++i) {
      pass(40s, kTrains);
      pass(160s, waiting);
      ASSERT_EQ(watch_.pace(), RankPace::kMixed) << i;
    }
  }
}

/// One rank of two waits while the other evaluates, four tenths of all time, as the node is told to
/// look by `up --stall-after 4s`.
TEST(RankWatch, ChanceMakesNoPaceWhereLimitsAreShort) {
  const ActivityLimits limits{4s};
  std::mt19937 random(42);
  std::bernoulli_distribution waits(0.4);
  for (int job = 0; job < 20; ++job) {
    RankWatch watch(limits);
    RankSample sample;
    sample.socket_bytes = 0;
    for (TimePoint end = sample.time + 10min; sample.time < end; sample.time += limits.every()) {
      sample.doing = waits(random) ? WaitKind::kLock : WaitKind::kSleeps;
      sample.main_nanoseconds += 5'000'000;
      sample.file_bytes += 1000;
      watch.add(sample);
      ASSERT_NE(watch.pace(), RankPace::kWaitsInLock) << job;
    }
  }
}

/// Hours of jobs that train, save, evaluate and load in bursts, in whatever order.
TEST_F(RankWatchTest, HealthyBurstsAreNeverTakenForAHang) {
  std::mt19937 random(42);
  const auto between = [&](int from, int to) {
    return std::chrono::seconds(std::uniform_int_distribution(from, to)(random));
  };
  for (int i = 0; i < 500; ++i) {
    pass(between(5, 300), kTrains);
    switch (i % 5) {
      case 0:
        pass(between(5, 900), kSaves);
        break;
      case 1:
        pass(between(5, 3600), kEvaluates);
        break;
      case 2:
        pass(between(5, 170), kWaits);
        break;
      case 3:
        pass(between(5, 170), kSleepsForData);
        break;
      default:
        pass(between(5, 590), kLoops);
    }
    ASSERT_FALSE(ever_still_) << i;
  }
}

}  // namespace
}  // namespace trainyard::node
