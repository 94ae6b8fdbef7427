#include "node/limits/cgroups.h"

#include "node/linux/fake_cgroups.h"

#include <gtest/gtest.h>

namespace trainyard::node {
namespace {

class CgroupsTest : public testing::Test {
 protected:
  CgroupsTest() : fake_(new FakeCgroups), cgroups_(std::unique_ptr<CgroupDriver>(fake_)) {}

  static ContainerLimits limits() {
    ContainerLimits limits;
    limits.memory_bytes = 1 << 20;
    limits.memory_text = "1Mi";
    limits.processes = 100;
    return limits;
  }

  FakeCgroups* fake_;  // of cgroups_
  Cgroups cgroups_;
};

TEST_F(CgroupsTest, EachRunHasAGroupOfItsOwn) {
  const auto made = cgroups_.prepare("u1", "main", 3, limits());
  ASSERT_TRUE(made) << made.error().message();
  ASSERT_EQ(made->cgroups.size(), 1U);
  EXPECT_EQ(made->cgroups.front(), "/cgroup/u1/main.3");
  EXPECT_EQ(made->oom_file, "/cgroup/u1/main.3/memory.events");
  EXPECT_EQ(made->memory_limit, "1Mi");
  EXPECT_TRUE(made->own_limits.empty());
}

TEST_F(CgroupsTest, TheGroupOfTheRunBeforeGoes) {
  ASSERT_TRUE(cgroups_.prepare("u1", "main", 0, limits()));
  ASSERT_TRUE(cgroups_.prepare("u1", "main", 1, limits()));
  EXPECT_EQ(fake_->children("u1"), std::vector<std::string>{"main.1"});
}

TEST_F(CgroupsTest, WithoutAMemoryLimitNobodyIsBlamed) {
  const auto made = cgroups_.prepare("u1", "main", 0, ContainerLimits());
  ASSERT_TRUE(made);
  EXPECT_TRUE(made->oom_file.empty());
}

TEST_F(CgroupsTest, AContainerWithoutItsLimitsDoesNotStart) {
  fake_->refuses = true;
  const auto made = cgroups_.prepare("u1", "main", 0, limits());
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().message().find("Permission denied"), std::string::npos);
}

TEST_F(CgroupsTest, APodLeavesNothing) {
  ASSERT_TRUE(cgroups_.prepare("u1", "a", 0, limits()));
  ASSERT_TRUE(cgroups_.prepare("u1", "b", 0, limits()));
  ASSERT_TRUE(cgroups_.prepare("u2", "a", 0, limits()));
  ASSERT_TRUE(cgroups_.remove_pod("u1"));
  EXPECT_EQ(fake_->children(""), std::vector<std::string>{"u2"});
}

TEST_F(CgroupsTest, OfPodsThatNobodyKnowsAreRemoved) {
  ASSERT_TRUE(cgroups_.prepare("known", "a", 0, limits()));
  ASSERT_TRUE(cgroups_.prepare("stray", "a", 0, limits()));
  cgroups_.remove_others({"known"});
  EXPECT_EQ(fake_->children(""), std::vector<std::string>{"known"});
}

TEST(NoCgroups, LeaveLimitsForEachProcess) {
  Cgroups none(Error(Code::kForbidden, "making the control group /x: Permission denied"));
  ContainerLimits limits;
  limits.processes = 100;
  limits.memory_bytes = 4096;
  const auto made = none.prepare("u1", "main", 0, limits);
  ASSERT_TRUE(made);
  EXPECT_EQ(made->own_limits, (std::vector<std::string>{"processes:100", "data:4096"}));
  EXPECT_EQ(none.why_not(),
            "CPU limits are not enforced, and memory limits only for each process by itself "
            "(RLIMIT_DATA), because of making the control group /x: Permission denied: run the "
            "server as root, or in a control group that is delegated to its user (systemd-run "
            "--user -p Delegate=yes)");
  EXPECT_TRUE(none.remove_pod("u1"));
}

}  // namespace
}  // namespace trainyard::node
