#include "node/usage/usage_meter.h"

#include "base/fake_clock.h"
#include "base/task_group.h"
#include "base/test_loop.h"
#include "client/fake_api.h"
#include "node/linux/fake_cgroups.h"

#include <gtest/gtest.h>

namespace trainyard::node {
namespace {

using namespace std::chrono_literals;

class UsageMeterTest : public testing::Test {
 protected:
  UsageMeterTest()
      : clock_(loop_.executor()),
        api_(loop_.executor(), clock_),
        fake_(new FakeCgroups),
        cgroups_(std::unique_ptr<CgroupDriver>(fake_)),
        meter_(api_, clock_, loop_.executor(), config_, cgroups_) {}

  /// Runs container `main`, for the third time.
  static ObjectPtr pod(const std::string& uid, const std::string& node = "node-0") {
    Json status{{"name", "main"},
                {"containerID", "trainyard://" + uid + "/main/2"},
                {"state", {{"running", JsonObject()}}}};
    Json made{{"metadata", {{"name", uid}, {"namespace", "default"}, {"uid", uid}}},
              {"spec", {{"nodeName", node}}},
              {"status", {{"containerStatuses", JsonArray{std::move(status)}}}}};
    return std::make_shared<StoredObject>(std::move(made), std::int64_t{1});
  }

  void use(const std::string& uid, std::int64_t cpu_microseconds, std::int64_t memory) {
    ContainerCounters& counters = fake_->used[uid + "/main.2"];
    counters.cpu_microseconds += cpu_microseconds;
    counters.memory_bytes = memory;
  }

  /// Asks, and lets half a second pass in which a quarter of a CPU is used.
  contract::Measured<contract::PodUsage> measure(std::vector<ObjectPtr> pods) {
    std::optional<contract::Measured<contract::PodUsage>> measured;
    boost::asio::co_spawn(
        loop_.executor(), meter_.measure_pods(std::move(pods)),
        [&](const std::exception_ptr&, contract::Measured<contract::PodUsage> got) {
          measured = std::move(got);
        });
    loop_.run_ready();
    if (clock_.sleepers() > 0) {
      use("u1", 125'000, 7000);
      clock_.advance(500ms);
    }
    loop_.run_until([&] { return measured.has_value(); });
    return *std::move(measured);
  }

  TestLoop loop_;
  FakeClock clock_;
  client::FakeApi api_;
  NodeConfig config_;
  FakeCgroups* fake_;  // of cgroups_
  Cgroups cgroups_;
  UsageMeter meter_;
};

TEST_F(UsageMeterTest, TheFirstQuestionIsMeasuredForHalfASecond) {
  use("u1", 1'000'000, 5000);
  const auto measured = measure({pod("u1")});
  ASSERT_EQ(measured.items.size(), 1U);
  ASSERT_EQ(measured.items[0].containers.size(), 1U);
  EXPECT_EQ(measured.items[0].containers[0].name, "main");
  EXPECT_EQ(measured.items[0].containers[0].usage.cpu_nanos, 250'000'000);
  EXPECT_EQ(measured.items[0].containers[0].usage.memory_bytes, 7000);
  EXPECT_EQ(measured.window, 500ms);
}

TEST_F(UsageMeterTest, TheNextCountsFromTheOneBefore) {
  use("u1", 0, 1);
  (void)measure({pod("u1")});
  use("u1", 2'000'000, 1);
  clock_.advance(4s);
  const auto measured = measure({pod("u1")});
  ASSERT_EQ(measured.items.size(), 1U);
  EXPECT_EQ(measured.window, 4s);
  EXPECT_EQ(measured.items[0].containers[0].usage.cpu_nanos, 500'000'000);
}

TEST_F(UsageMeterTest, WhatRunsNoMoreIsLeftOut) {
  use("u1", 0, 1);
  const auto measured = measure({pod("u1"), pod("gone")});
  ASSERT_EQ(measured.items.size(), 1U);
  EXPECT_EQ(name_of(measured.items[0].pod->body()), "u1");
}

TEST_F(UsageMeterTest, NothingRunsNothingIsWaitedFor) {
  EXPECT_TRUE(measure({}).items.empty());
}

}  // namespace
}  // namespace trainyard::node
