#include "monitor/progress/curve_progress.h"

#include "monitor/events/event_writer.h"
#include "monitor/events/run_data.h"

#include <gtest/gtest.h>

#include <cmath>

namespace trainyard::monitor {
namespace {

using namespace std::chrono_literals;
using Values = std::vector<std::pair<std::string, double>>;

constexpr WallTime kBegin{1000s};

class CurveProgressTest : public testing::Test {
 protected:
  void add(double time, std::int64_t step, const std::string& tag, float value) {
    run_.add(writing::scalar_event(time, step, tag, value), {}, notes_);
  }
  RunData run_;
  ReadNotes notes_;
};

TEST_F(CurveProgressTest, IsThatOfTheCurveThatHasComeFurthest) {
  add(1000, 0, "grad_norm", 7);
  for (int step = 0; step <= 40; step += 10) {
    add(1000 + step / 2.0, step, "Loss/train", 0.5F);
    add(1000 + step / 2.0, step, "odd", NAN);
  }
  add(1021, 2, "epoch/accuracy", 0.75F);
  const auto told = read_curve_progress(run_, kBegin);
  ASSERT_TRUE(told);
  EXPECT_EQ(told->step, 40);
  EXPECT_DOUBLE_EQ(told->rate.value_or(0), 2);
  EXPECT_EQ(told->values,
            (Values{{"Loss/train", 0.5}, {"epoch/accuracy", 0.75}, {"grad_norm", 7}}));
  EXPECT_EQ(told->at, kBegin + 21s);
}

TEST_F(CurveProgressTest, LeavesOutWhatWasWrittenBefore) {
  EXPECT_FALSE(read_curve_progress(run_, kBegin));
  add(900, 800, "loss", 1);
  add(910, 900, "loss", 1);
  EXPECT_FALSE(read_curve_progress(run_, kBegin));
  add(1010, 100, "loss", 0.5F);
  EXPECT_FALSE(read_curve_progress(run_, kBegin)->rate);
  add(1020, 150, "loss", 0.5F);
  EXPECT_EQ(read_curve_progress(run_, kBegin)->step, 150);
  EXPECT_DOUBLE_EQ(read_curve_progress(run_, kBegin)->rate.value_or(0), 5);
}

TEST_F(CurveProgressTest, GoesByTheLastPointsAndByThoseSinceACheckpoint) {
  for (int step = 0; step < 500; ++step) add(1000 + step * 10, step, "loss", 1);
  for (int step = 0; step < 100; ++step) add(7000 + step, 500 + step, "loss", 1);
  EXPECT_DOUBLE_EQ(read_curve_progress(run_, kBegin)->rate.value_or(0), 1);
  add(8000, 550, "loss", 1);
  EXPECT_FALSE(read_curve_progress(run_, kBegin)->rate);
}

TEST_F(CurveProgressTest, OddTimesDoNoHarm) {
  add(NAN, 5, "loss", 1);
  EXPECT_FALSE(read_curve_progress(run_, kBegin));
  add(1e300, 6, "loss", 1);
  EXPECT_EQ(read_curve_progress(run_, kBegin)->step, 6);
}

TEST(LeadingRun, HasComeFurthestOfThoseThatGoOn) {
  EXPECT_FALSE(leading_run({}));
  const CurveProgress ended{900, {}, {}, kBegin};
  const CurveProgress first{50, {}, {{"loss", 1}}, kBegin + 100s};
  const CurveProgress second{50, {}, {}, kBegin + 101s};
  const CurveProgress evaluation{40, {}, {}, kBegin + 105s};
  const auto leading = leading_run({ended, first, second, evaluation});
  EXPECT_EQ(leading->step, 50);
  EXPECT_EQ(leading->values.size(), 1U);
}

class JoinTest : public testing::Test {
 protected:
  JoinTest() { curves_ = CurveProgress{1200, 35, {{"loss", 0.41}}, kBegin + 100s}; }
  void say(int second, const char* line) { log_.add(kBegin + std::chrono::seconds(second), line); }
  std::string words() {
    const auto joined = join_progress(log_.tell(kBegin + 100s), curves_, kBegin + 100s);
    return joined ? progress_words(*joined) : "";
  }
  ProgressOfLog log_;
  std::optional<CurveProgress> curves_;
};

TEST_F(JoinTest, EventFilesTellWhatASilentLogDoesNot) {
  EXPECT_EQ(words(), "step 1200, 35 steps/s, loss 0.41");
  curves_.reset();
  EXPECT_EQ(words(), "");
}

TEST_F(JoinTest, EventFilesLeadWhereTheLogTellsNoTotal) {
  say(0, "epoch 3 step 10 loss 9");
  EXPECT_EQ(words(), "epoch 3, step 1200, 35 steps/s, loss 0.41");
  curves_->values.clear();
  EXPECT_EQ(words(), "epoch 3, step 1200, 35 steps/s, loss 9");
}

TEST_F(JoinTest, ALogThatTellsOfHowManyLeads) {
  say(0, "epoch 1/5");
  say(60, "epoch 2/5");
  EXPECT_EQ(words(), "epoch 2/5, step 1200 (20 %), 1 epochs/min, 3m20s left, loss 0.41");
  say(80, "epoch 2/5 step 20/40 loss 2");
  say(90, "epoch 2/5 step 30/40 loss 1");
  EXPECT_EQ(words(), "epoch 2/5, step 30/40 (35 %), 1 steps/s, 2m left, loss 1");
  EXPECT_TRUE(says_all(*log_.tell(kBegin)));
}

TEST_F(JoinTest, ACounterAtItsEndIsNotTheTrainings) {
  say(0, "10%|# | 10/100 [00:01<00:09, 9.9it/s]");
  say(9, "100%|##########| 100/100 [00:10<00:00, 9.9it/s]");
  EXPECT_EQ(words(), "step 1200, 35 steps/s, loss 0.41");
  EXPECT_FALSE(says_all(*log_.tell(kBegin)));
  curves_->at = kBegin;
  EXPECT_EQ(words(), "step 100/100 (100 %), 10 steps/s, 0s left, loss 0.41");
}

TEST_F(JoinTest, ATotalOfTheSameStepsTellsWhatIsLeft) {
  say(0, "step 0/8200");
  EXPECT_EQ(words(), "step 1200/8200 (15 %), 35 steps/s, 3m20s left, loss 0.41");
  curves_->step = 9000;  // it counts something else
  EXPECT_EQ(words(), "step 0/8200 (0 %), loss 0.41");
}

TEST_F(JoinTest, ACounterWithoutANameIsNotComparedWithSteps) {
  say(0, "[7/8200]");
  EXPECT_EQ(words(), "step 7/8200 (0 %), loss 0.41");
}

TEST(SaysMore, IsTheLogWithATotalThenWithARateThenWithValues) {
  Progress total;
  total.share = 0.5;
  Progress rate;
  rate.rate = 1;
  rate.values = {{"loss", 1}};
  EXPECT_TRUE(says_more(total, rate));
  EXPECT_FALSE(says_more(rate, total));
  EXPECT_TRUE(says_more(rate, Progress()));
}

}  // namespace
}  // namespace trainyard::monitor
