#include "cli/jobs/wait_goal.h"

#include <gtest/gtest.h>

namespace trainyard::cli {
namespace {

Json job(const char* phase) {
  return {{"apiVersion", "batch.tensorstack.dev/v1beta1"}, {"status", {{"phase", phase}}}};
}

TEST(WaitGoal, IsReadInAnyCase) {
  EXPECT_EQ(*parse_wait_goal("succeeded"), WaitGoal::kSucceeded);
  EXPECT_EQ(*parse_wait_goal("Paused"), WaitGoal::kPaused);
  const auto wrong = parse_wait_goal("happy");
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().message().find("Completed"), std::string::npos);
}

TEST(WaitGoal, IsReachedByItsPhase) {
  EXPECT_EQ(judge_wait(job("Running"), WaitGoal::kRunning), WaitVerdict::kReached);
  EXPECT_EQ(judge_wait(job("Succeeded"), WaitGoal::kSucceeded), WaitVerdict::kReached);
  EXPECT_EQ(judge_wait(job("Failed"), WaitGoal::kFailed), WaitVerdict::kReached);
  EXPECT_EQ(judge_wait(job("Paused"), WaitGoal::kPaused), WaitVerdict::kReached);
  for (const char* end : {"Succeeded", "Failed"}) {
    EXPECT_EQ(judge_wait(job(end), WaitGoal::kCompleted), WaitVerdict::kReached);
  }
}

TEST(WaitGoal, CanNoLongerBeReachedByWhatHasEndedOtherwise) {
  EXPECT_EQ(judge_wait(job("Failed"), WaitGoal::kSucceeded), WaitVerdict::kNever);
  EXPECT_EQ(judge_wait(job("Succeeded"), WaitGoal::kFailed), WaitVerdict::kNever);
  EXPECT_EQ(judge_wait(job("Failed"), WaitGoal::kRunning), WaitVerdict::kNever);
  EXPECT_EQ(judge_wait(job("Succeeded"), WaitGoal::kPaused), WaitVerdict::kNever);
}

TEST(WaitGoal, MayStillBeReachedByWhatGoesOn) {
  for (const char* phase : {"Pending", "Running", "Paused", "Resuming"}) {
    EXPECT_EQ(judge_wait(job(phase), WaitGoal::kSucceeded), WaitVerdict::kNotYet) << phase;
    EXPECT_EQ(judge_wait(job(phase), WaitGoal::kDeleted), WaitVerdict::kNotYet) << phase;
  }
}

TEST(WaitGoal, OfRunningIsReachedByAJobThatWasTooQuickToBeSeen) {
  EXPECT_EQ(judge_wait(job("Succeeded"), WaitGoal::kRunning), WaitVerdict::kReached);
}

}  // namespace
}  // namespace trainyard::cli
