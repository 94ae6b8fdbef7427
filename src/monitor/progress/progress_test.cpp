#include "monitor/progress/progress.h"

#include <gtest/gtest.h>

namespace trainyard::monitor {
namespace {

using namespace std::chrono_literals;

struct Case {
  const char* line;
  std::optional<Counter> epoch;
  std::optional<Counter> step;
  std::map<std::string, double> values;
};

TEST(ProgressLine, IsReadAsTrainingsWriteIt) {
  const Case all[] = {
      {" 45%|████▌     | 450/1000 [00:12<00:15, 36.13it/s, loss=0.512]",
       {},
       Counter{450, 1000},
       {{"loss", 0.512}}},
      {"Epoch 3:   7%|▋  | 7/100 [00:01<00:13,  6.9it/s]", Counter{3, 0}, Counter{7, 100}, {}},
      {"0%| | 0/9 [00:00<?, ?it/s]\r 11%|# | 1/9 [00:01<00:08,  1.0s/it]", {}, Counter{1, 9}, {}},
      {"Epoch 3 [640/60000 (1%)]\tLoss: 0.25",
       Counter{3, 0},
       Counter{640, 60000},
       {{"loss", 0.25}}},
      {"Train Epoch: 1 [640/60000 (1%)]\tLoss: 0.25",
       Counter{1, 0},
       Counter{640, 60000},
       {{"loss", 0.25}}},
      {"Epoch: [0][  10/5005]\tTime  0.41 ( 0.52)\tLoss 6.9e+00 (6.9)",
       Counter{0, 0},
       Counter{10, 5005},
       {{"loss", 6.9}}},
      {"Epoch [1/5], Step [100/600], Loss: 0.3129",
       Counter{1, 5},
       Counter{100, 600},
       {{"loss", 0.3129}}},
      {"epoch 2/10 with val loss: 0.3", Counter{2, 10}, {}, {{"loss", 0.3}}},
      {"step 100/1000", {}, Counter{100, 1000}, {}},
      {"[2026-11-16 10:00:00] INFO iter 7/20 train/loss=-1.5",
       {},
       Counter{7, 20},
       {{"train/loss", -1.5}}},
      {"[7/20]", {}, Counter{7, 20}, {}},
      {"100/469 [=====>........] - ETA: 2s - loss: 0.31 - accuracy: 0.91",
       {},
       Counter{100, 469},
       {{"loss", 0.31}, {"accuracy", 0.91}}},
      {"step: 40 lr: 1e-3", {}, Counter{40, 0}, {{"lr", 0.001}}},
      {"{'loss': 0.5, 'learning_rate': 5e-05, 'epoch': 1.5}",
       Counter{1, 0},
       {},
       {{"loss", 0.5}, {"learning_rate", 5e-05}}},
      {"\033[32mEpoch 1/3\033[0m", Counter{1, 3}, {}, {}},
  };
  for (const Case& one : all) {
    const auto read = read_progress_line(one.line);
    ASSERT_TRUE(read) << one.line;
    EXPECT_EQ(read->epoch, one.epoch) << one.line;
    EXPECT_EQ(read->step, one.step) << one.line;
    EXPECT_EQ(read->values, one.values) << one.line;
  }
}

TEST(ProgressLine, IsNotSeenWhereThereIsNone) {
  for (const char* line :
       {"", "rank 0 of 4 (local rank 0) is ready", "2026/11/16 10:00:00 started",
        "lib/python3/x.py", "loss is 0.5", "downloaded 3.5/7.5 MB",
        "see page 3/4 of the manual, and 5/6", "9/7", "[W socket.cpp:601] retrying",
        "99999999999999999999999/1", "step", "epoch /5", "it/s"}) {
    const auto read = read_progress_line(line);
    EXPECT_FALSE(read) << line;
  }
}

class ProgressTest : public testing::Test {
 protected:
  void at(int second, const char* line) {
    log_.add(WallTime(1000s) + std::chrono::seconds(second), line);
  }
  Progress tell(int second) {
    const auto told = log_.tell(WallTime(1000s) + std::chrono::seconds(second));
    EXPECT_TRUE(told);
    return told.value_or(Progress());
  }
  ProgressOfLog log_;
};

TEST_F(ProgressTest, StepsWithinEpochsTellWhatIsLeft) {
  at(0, "Epoch [1/5], Step [100/600], Loss: 0.9");
  at(100, "Epoch [1/5], Step [300/600], Loss: 0.7");
  at(300, "Epoch [2/5], Step [100/600], Loss: 0.5");
  const Progress progress = tell(300);
  EXPECT_DOUBLE_EQ(*progress.rate, 2);
  EXPECT_NEAR(*progress.share, 700.0 / 3000, 1e-9);
  EXPECT_EQ(progress.left, 1150s);
  EXPECT_EQ(tell(350).left, 1100s);
  EXPECT_EQ(progress_words(progress),
            "epoch 2/5, step 100/600 (23 %), 2 steps/s, 19m left, loss 0.5");
}

TEST_F(ProgressTest, EpochsAloneTellByTheirEnd) {
  at(0, "epoch 1/10 with val loss: 0.9");
  at(60, "epoch 2/10 with val loss: 0.8");
  at(61, "something else");
  const Progress progress = tell(60);
  EXPECT_TRUE(progress.rate_of_epochs);
  EXPECT_DOUBLE_EQ(*progress.share, 0.2);
  EXPECT_EQ(progress.left, 480s);
  EXPECT_EQ(progress_words(progress), "epoch 2/10 (20 %), 1 epochs/min, 8m left, loss 0.8");
}

TEST_F(ProgressTest, AfterARestartOnlyTheNewRunCounts) {
  at(0, "step 900/1000");
  at(10, "step 950/1000");
  at(100, "step 10/1000");
  EXPECT_FALSE(tell(100).rate);
  at(110, "step 20/1000");
  EXPECT_DOUBLE_EQ(*tell(110).rate, 1);
  EXPECT_EQ(tell(110).left, 980s);
}

TEST_F(ProgressTest, WithoutATotalThereIsARateAndNoEnd) {
  at(0, "step 10 loss 3.5");
  at(10, "step 30 loss 2.5");
  Progress progress = tell(10);
  EXPECT_DOUBLE_EQ(*progress.rate, 2);
  EXPECT_FALSE(progress.share);
  EXPECT_FALSE(progress.left);
  EXPECT_EQ(progress_words(progress), "step 30, 2 steps/s, loss 2.5");
  progress.unit = "batch";
  EXPECT_EQ(progress_words(progress), "batch 30, 2 batches/s, loss 2.5");
  progress.unit = "it";
  EXPECT_EQ(progress_words(progress), "it 30, 2 it/s, loss 2.5");
  EXPECT_FALSE(ProgressOfLog().tell(WallTime()));
}

}  // namespace
}  // namespace trainyard::monitor
