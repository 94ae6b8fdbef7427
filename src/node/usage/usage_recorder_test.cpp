#include "node/usage/usage_recorder.h"

#include "base/fake_clock.h"
#include "base/files/test_folder.h"
#include "base/test_loop.h"
#include "node/linux/fake_cgroups.h"

#include <gtest/gtest.h>

#include <cmath>

namespace trainyard::node {
namespace {

using namespace std::chrono_literals;

class UsageRecorderTest : public testing::Test {
 protected:
  UsageRecorderTest()
      : clock_(loop_.executor()),
        fake_(new FakeCgroups),
        cgroups_(std::unique_ptr<CgroupDriver>(fake_)) {
    config_.data_dir = folder_.path();
    begin_server();
  }
  ~UsageRecorderTest() override { loop_.run(recorder_->stop()); }

  void begin_server() {
    recorder_ =
        std::make_unique<UsageRecorder>(loop_.executor(), clock_, loop_.executor(), config_,
                                        cgroups_, std::make_shared<GpuMeter>(TRAINYARD_FAKE_NVML));
    recorder_->start();
    loop_.run_ready();
  }

  static Json pod(const std::string& uid, bool runs, const std::string& phase) {
    Json status{{"name", "main"}, {"containerID", "trainyard://" + uid + "/main/0"}};
    if (runs) make_path(status, "state.running") = JsonObject();
    Json owner{{"kind", "Job"}, {"name", "fit"}, {"uid", "job-1"}};
    Json resources{{"requests", {{"cpu", "500m"}}}, {"limits", {{"cpu", "2"}}}};
    return {{"metadata",
             {{"name", uid},
              {"namespace", "default"},
              {"uid", uid},
              {"ownerReferences", JsonArray{std::move(owner)}}}},
            {"spec",
             {{"containers", JsonArray{{{"name", "main"}, {"resources", std::move(resources)}}}}}},
            {"status", {{"phase", phase}, {"containerStatuses", JsonArray{std::move(status)}}}}};
  }

  /// So many seconds pass, in each of which half a CPU is used.
  void pass(int seconds) {
    for (int i = 0; i < seconds; ++i) {
      fake_->used["u1/main.0"].cpu_microseconds += 500'000;
      fake_->used["u1/main.0"].memory_bytes = 4096;
      clock_.advance(1s);
      loop_.run_ready();
    }
  }

  contract::UsageAnswer told(contract::UsageQuestion question = {}) {
    return loop_.run(recorder_->tell(std::move(question)));
  }

  contract::UsageHistory only() {
    const auto answer = told();
    EXPECT_EQ(answer.items.size(), 1U);
    return answer.items.empty() ? contract::UsageHistory() : answer.items[0];
  }

  TestFolder folder_;
  TestLoop loop_;
  FakeClock clock_;
  NodeConfig config_;
  FakeCgroups* fake_;  // of cgroups_
  Cgroups cgroups_;
  std::unique_ptr<UsageRecorder> recorder_;
};

TEST_F(UsageRecorderTest, RecordsAYoungPodEverySecond) {
  pass(1);
  recorder_->note(pod("u1", true, "Running"), false);
  loop_.run_ready();
  pass(5);
  const auto history = only();
  EXPECT_EQ(history.pod.name, "u1");
  ASSERT_EQ(history.usage[0].name, "cpu");
  ASSERT_EQ(history.usage[0].mean.size(), 5U);
  for (const float cpu : history.usage[0].mean) EXPECT_FLOAT_EQ(cpu, 0.5);
  EXPECT_EQ(history.usage[1].mean[2], 4096);
  EXPECT_EQ(history.requests[0].amount[0], 0.5);
  EXPECT_EQ(history.limits[0].amount[0], 2);
}

TEST_F(UsageRecorderTest, DoesNothingWhileNothingRuns) {
  EXPECT_EQ(clock_.sleepers(), 0U);
  recorder_->note(pod("u1", false, "Pending"), false);
  loop_.run_ready();
  EXPECT_EQ(clock_.sleepers(), 0U);
  EXPECT_TRUE(told().items.empty());
}

TEST_F(UsageRecorderTest, ReadsAnOldPodEveryTwoSeconds) {
  recorder_->note(pod("u1", true, "Running"), false);
  loop_.run_ready();
  pass(100);
  const int before = fake_->counted;
  pass(60);
  EXPECT_EQ(fake_->counted - before, 30);
}

TEST_F(UsageRecorderTest, WhatHasEndedStaysAsItWas) {
  recorder_->note(pod("u1", true, "Running"), false);
  loop_.run_ready();
  pass(5);
  recorder_->note(pod("u1", false, "Succeeded"), false);
  pass(10);
  EXPECT_EQ(only().usage[0].mean.size(), 5U);
  EXPECT_EQ(clock_.sleepers(), 0U) << "nothing is read any more";
  recorder_->note(pod("u1", false, "Succeeded"), true);
  EXPECT_EQ(only().usage[0].mean.size(), 5U) << "its job may be there";
}

TEST_F(UsageRecorderTest, OfAPodThatWasNeverReadNothingIsKept) {
  recorder_->note(pod("u1", true, "Running"), false);
  loop_.run_ready();
  recorder_->note(pod("u1", false, "Succeeded"), false);
  loop_.run_ready();
  EXPECT_TRUE(told().items.empty());
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "usage" / "u1.about"));
}

TEST_F(UsageRecorderTest, OutlivesTheServerAndThePod) {
  pass(1);  // there is something to be read from the beginning
  recorder_->note(pod("u1", true, "Running"), false);
  loop_.run_ready();
  pass(5);
  recorder_->note(pod("u1", true, "Running"), true);
  loop_.run_ready();
  loop_.run(recorder_->stop());
  begin_server();
  const auto history = only();
  EXPECT_EQ(history.pod.name, "u1");
  EXPECT_EQ(history.usage[0].mean, (std::vector<float>{0.5, 0.5, 0.5, 0.5, 0.5}));
  EXPECT_EQ(history.requests[0].amount[0], 0.5);
  contract::UsageQuestion question;
  question.job = "fit";
  EXPECT_EQ(told(question).items.size(), 1U);
}

TEST_F(UsageRecorderTest, AServerThatIsKilledLosesNoMoreThanTheLastMoments) {
  recorder_->note(pod("u1", true, "Running"), false);
  loop_.run_ready();
  pass(50);
  // What is killed writes nothing any more: another one begins with the files as they are.
  const auto killed = std::move(recorder_);
  begin_server();
  const auto before = only();
  EXPECT_GE(before.usage[0].mean.size(), 30U);
  EXPECT_TRUE(before.end) << "as far as is known";
  // The pod has run on without a server, and goes on in the same curve.
  recorder_->note(pod("u1", true, "Running"), false);
  loop_.run_ready();
  pass(20);
  const auto after = only();
  EXPECT_FALSE(after.end);
  ASSERT_EQ(after.usage[0].mean.size(), 70U);
  EXPECT_FLOAT_EQ(after.usage[0].mean[10], 0.5);
  EXPECT_FLOAT_EQ(after.usage[0].mean[65], 0.5);
  loop_.run(killed->stop());
}

TEST_F(UsageRecorderTest, WhatEarlierServersRecordedStaysWhenThePodEndsAtOnce) {
  recorder_->note(pod("u1", true, "Running"), false);
  loop_.run_ready();
  pass(5);
  loop_.run(recorder_->stop());
  begin_server();
  recorder_->note(pod("u1", true, "Running"), false);
  recorder_->note(pod("u1", true, "Running"), true);
  loop_.run_ready();
  EXPECT_FLOAT_EQ(only().usage[0].mean[2], 0.5);
}

TEST_F(UsageRecorderTest, WhatIsTooOldIsRemoved) {
  config_.kept_usage.age = std::chrono::hours(1);
  recorder_->note(pod("u1", true, "Running"), false);
  loop_.run_ready();
  pass(5);
  recorder_->note(pod("u1", false, "Succeeded"), false);
  loop_.run_ready();
  loop_.run(recorder_->tidy());
  EXPECT_EQ(told().items.size(), 1U);
  clock_.advance(2h);
  loop_.run_ready();
  loop_.run(recorder_->tidy());
  EXPECT_TRUE(told().items.empty());
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path() / "usage"));
}

TEST_F(UsageRecorderTest, TellsWhatRunningContainersHaveUsedSoFar) {
  fake_->used["u1/main.0"].cpu_microseconds = 3'000'000;
  recorder_->note(pod("u1", true, "Running"), false);
  loop_.run_ready();
  pass(4);
  const auto totals = recorder_->totals();
  ASSERT_EQ(totals.size(), 1U);
  EXPECT_EQ(totals[0].pod.name, "u1");
  EXPECT_EQ(totals[0].owner.name, "fit");
  EXPECT_DOUBLE_EQ(totals[0].cpu_seconds, 5);
  recorder_->note(pod("u1", false, "Succeeded"), false);
  EXPECT_TRUE(recorder_->totals().empty());
}

TEST_F(UsageRecorderTest, ARestartedContainerGoesOnInTheSameCurve) {
  recorder_->note(pod("u1", true, "Running"), false);
  loop_.run_ready();
  pass(5);
  Json again = pod("u1", true, "Running");
  again.at_pointer("/status/containerStatuses/0/containerID") = "trainyard://u1/main/1";
  fake_->used["u1/main.1"].cpu_microseconds = 100;
  recorder_->note(again, false);
  pass(3);
  const auto curve = only().usage[0].mean;
  ASSERT_EQ(curve.size(), 8U);
  EXPECT_TRUE(std::isnan(curve[5])) << "its first second has nothing to be compared with";
  EXPECT_FLOAT_EQ(curve[7], 0);
}

TEST_F(UsageRecorderTest, TellsOfTheGpusThatThePodWasGiven) {
  Json made = pod("u1", true, "Running");
  make_path(made, "spec.nodeName") = "node-0";
  make_path(made, "metadata.annotations") = JsonObject{{"trainyard.dev/gpus", "1"}};
  recorder_->note(made, false);
  loop_.run_ready();
  pass(3);
  const auto usage = only().usage;
  ASSERT_EQ(usage.size(), 15U) << "eight of the container, one made of two of them, six of the GPU";
  EXPECT_EQ(usage[9].name, "gpu-1.utilization");
  EXPECT_EQ(usage[9].mean[1], 91);
  EXPECT_EQ(usage[12].name, "gpu-1.memoryShare");
  EXPECT_EQ(usage[12].mean[1], 25);
}

TEST_F(UsageRecorderTest, SaysSinceWhen) {
  const auto started = clock_.wall();
  clock_.advance(10s);
  EXPECT_EQ(told().recorded_since, started);
}

}  // namespace
}  // namespace trainyard::node
