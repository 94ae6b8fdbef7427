#include "node/pod/back_off.h"

#include <gtest/gtest.h>

namespace trainyard::node {
namespace {

using namespace std::chrono_literals;

RunState run_of(std::chrono::seconds length) {
  RunState run;
  run.phase = RunState::Phase::kEnded;
  run.started = WallTime();
  run.finished = WallTime() + length;
  return run;
}

TEST(BackOff, DoublesFromTenSecondsToFiveMinutesAndTheFirstRestartIsAtOnce) {
  int crashes = 0;
  std::vector<std::chrono::seconds> pauses;
  for (int i = 0; i < 9; ++i) {
    pauses.push_back(restart_pause(crashes, run_of(1s)));
    crashes = crashes_after(crashes, run_of(1s));
  }
  EXPECT_EQ(pauses,
            (std::vector<std::chrono::seconds>{0s, 10s, 20s, 40s, 80s, 160s, 300s, 300s, 300s}));
}

TEST(BackOff, BeginsAnewAfterARunOfMoreThanTenMinutes) {
  EXPECT_EQ(restart_pause(6, run_of(601s)), 0s);
  EXPECT_EQ(restart_pause(6, run_of(600s)), 300s);
  EXPECT_EQ(restart_pause(crashes_after(6, run_of(601s)), run_of(1s)), 10s);
}

TEST(BackOff, AServerThatComesBackCountsTheSame) {
  const std::vector<std::chrono::seconds> lengths{1s, 2s, 900s, 3s, 4s,   1s, 1s,
                                                  1s, 1s, 1s,   1s, 700s, 1s};
  std::vector<RunState> newest_first;
  int crashes = 0;
  for (const auto length : lengths) {
    EXPECT_EQ(count_crashes(newest_first), crashes);
    newest_first.insert(newest_first.begin(), run_of(length));
    crashes = crashes_after(crashes, run_of(length));
    // Older ones are removed from disk.
    if (newest_first.size() > kRunsThatCount) newest_first.pop_back();
  }
  EXPECT_EQ(count_crashes(newest_first), crashes);
}

TEST(BackOff, ARunThatNeverStartedIsAShortOne) {
  RunState never;
  never.phase = RunState::Phase::kEnded;
  never.finished = WallTime() + 24h;
  EXPECT_EQ(restart_pause(1, never), 10s);
}

}  // namespace
}  // namespace trainyard::node
