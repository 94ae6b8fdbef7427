// Both versions over a folder that stands for the kernel's, and the kernel's own where it lets us.
#include "base/files/files.h"
#include "base/files/test_folder.h"
#include "node/linux/cgroup_files.h"
#include "node/linux/cgroup_v1.h"
#include "node/linux/cgroup_v2.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

namespace trainyard::node {
namespace {

ContainerLimits limits() {
  ContainerLimits limits;
  limits.cpu_milli = 500;
  limits.cpu_weight_milli = 1000;
  limits.memory_bytes = 32 << 20;
  limits.memory_text = "32Mi";
  limits.processes = 64;
  return limits;
}

std::string text_of(const std::filesystem::path& file) {
  return read_file(file).value_or("(missing)");
}

TEST(CgroupMounts, AreFoundInMountinfo) {
  const auto mounts = parse_cgroup_mounts(
      "30 25 0:26 / /sys/fs/cgroup ro - tmpfs tmpfs ro\n"
      "31 30 0:27 / /sys/fs/cgroup/cpu,cpuacct rw shared:9 - cgroup cgroup rw,cpu,cpuacct\n"
      "32 30 0:28 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
  ASSERT_EQ(mounts.size(), 2U);
  EXPECT_EQ(mounts[0].point, "/sys/fs/cgroup/cpu,cpuacct");
  EXPECT_EQ(mounts[0].controllers, (std::vector<std::string>{"rw", "cpu", "cpuacct"}));
  EXPECT_TRUE(mounts[1].unified);
}

TEST(OwnGroup, IsThatOfVersionTwo) {
  EXPECT_EQ(parse_own_group("3:memory:/a\n0::/user.slice/x.scope\n"), "/user.slice/x.scope");
  EXPECT_EQ(parse_own_group("3:memory:/a\n"), "/");
}

TEST(CpuSettings, SayTheSamePartInBothVersions) {
  EXPECT_EQ(cpu_shares(1000), 1024);
  EXPECT_EQ(cpu_weight(1000), 39);
  EXPECT_EQ(cpu_shares(1), 2);  // the kernel's least
  EXPECT_EQ(cpu_weight(1), 1);
}

TEST(CpuQuota, IsAPartOfAPeriodThatIsLongForSmallParts) {
  const auto is = [](std::int64_t milli, std::int64_t time, std::int64_t period) {
    const CpuQuota quota = cpu_quota(milli);
    EXPECT_EQ(quota.time, time) << milli;
    EXPECT_EQ(quota.period, period) << milli;
  };
  is(2500, 250'000, 100'000);
  is(1000, 100'000, 100'000);
  is(500, 200'000, 400'000);
  is(200, 200'000, 1'000'000);
  is(100, 100'000, 1'000'000);
  is(1, 1000, 1'000'000);
}

TEST(CgroupV2, WritesWhatTheKernelReads) {
  const TestFolder folder;
  CgroupV2 groups(folder.path());
  const auto made = groups.make("u1/main.0", limits());
  ASSERT_TRUE(made) << made.error().message();
  const auto own = folder.path() / "u1" / "main.0";
  EXPECT_EQ(text_of(own / "cpu.max"), "200000 400000");
  EXPECT_EQ(text_of(own / "cpu.weight"), "39");
  EXPECT_EQ(text_of(own / "memory.max"), "33554432");
  EXPECT_EQ(text_of(own / "memory.oom.group"), "1");
  EXPECT_EQ(text_of(own / "pids.max"), "64");
  for (const auto& above : {folder.path(), folder.path() / "u1"}) {
    EXPECT_EQ(text_of(above / "cgroup.subtree_control"), "+cpu +memory +pids");
  }
  EXPECT_FALSE(std::filesystem::exists(own / "cgroup.subtree_control"));
  EXPECT_EQ(groups.children("u1"), std::vector<std::string>{"main.0"});
}

TEST(CgroupV2, WhoSharesTheCpuIsInNoGroupOfTheSchedulers) {
  const TestFolder folder;
  CgroupV2 groups(folder.path());
  ContainerLimits shared;
  shared.shares_cpu = true;
  shared.processes = 64;
  ASSERT_TRUE(groups.make("u1/main.0", shared));
  ASSERT_TRUE(groups.make("u2/main.0", limits()));
  const auto own = folder.path() / "shared" / "u1" / "main.0";
  EXPECT_EQ(groups.folders("u1/main.0", shared), std::vector{own});
  EXPECT_EQ(text_of(own / "pids.max"), "64");
  EXPECT_EQ(text_of(folder.path() / "shared/cgroup.subtree_control"), "+memory +pids");
  EXPECT_EQ(text_of(folder.path() / "shared/u1/cgroup.subtree_control"), "+memory +pids");
  EXPECT_EQ(text_of(folder.path() / "cgroup.subtree_control"), "+cpu +memory +pids");
  std::vector<std::string> pods = groups.children("");
  std::sort(pods.begin(), pods.end());
  EXPECT_EQ(pods, (std::vector<std::string>{"u1", "u2"}));
  EXPECT_EQ(groups.children("u1"), std::vector<std::string>{"main.0"});
  EXPECT_EQ(groups.oom_file("u1/main.0"), own / "memory.events");
}

TEST(CgroupV2, CountsWithoutTheCacheThatCanGo) {
  const TestFolder folder;
  CgroupV2 groups(folder.path());
  ASSERT_TRUE(groups.make("u1", ContainerLimits()));
  const auto own = folder.path() / "u1";
  ASSERT_TRUE(write_setting(own / "cpu.stat", "usage_usec 1500000\nuser_usec 1\n"));
  ASSERT_TRUE(write_setting(own / "memory.current", "5000\n"));
  ASSERT_TRUE(write_setting(own / "memory.stat", "anon 1\ninactive_file 2000\n"));
  const auto counted = groups.counters("u1");
  ASSERT_TRUE(counted);
  EXPECT_EQ(counted->cpu_microseconds, 1'500'000);
  EXPECT_EQ(counted->memory_bytes, 3000);
  EXPECT_TRUE(groups.counters("other").failed_with(Code::kNotFound));
}

class CgroupV1Test : public testing::Test {
 protected:
  CgroupV1Test() : groups_(make_folders_in(folder_.path())) {}
  static CgroupV1::Folders make_folders_in(const std::filesystem::path& root) {
    for (const char* name : {"cpu", "memory", "pids"})
      std::filesystem::create_directory(root / name);
    return {root / "cpu", root / "cpu", root / "memory", root / "pids"};
  }
  TestFolder folder_;
  CgroupV1 groups_;
};

TEST_F(CgroupV1Test, WritesWhatTheKernelReads) {
  const auto made = groups_.make("u1/main.0", limits());
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_EQ(text_of(folder_.path() / "cpu/u1/main.0/cpu.cfs_quota_us"), "200000");
  EXPECT_EQ(text_of(folder_.path() / "cpu/u1/main.0/cpu.cfs_period_us"), "400000");
  EXPECT_EQ(text_of(folder_.path() / "cpu/u1/main.0/cpu.shares"), "1024");
  EXPECT_EQ(text_of(folder_.path() / "memory/u1/main.0/memory.limit_in_bytes"), "33554432");
  EXPECT_EQ(text_of(folder_.path() / "pids/u1/main.0/pids.max"), "64");
}

TEST(CgroupV1, WhoSharesTheCpuIsInTheGroupAboveAll) {
  const TestFolder folder;
  const auto in = [&](const char* name) { return folder.path() / name; };
  for (const char* name : {"cpu", "cpuacct", "memory", "pids"}) {
    std::filesystem::create_directory(in(name));
  }
  CgroupV1 groups({in("cpu"), in("cpuacct"), in("memory"), in("pids")});
  ContainerLimits shared;
  shared.shares_cpu = true;
  ASSERT_TRUE(groups.make("u1/main.0", shared));
  const auto joined = groups.folders("u1/main.0", shared);
  EXPECT_EQ(joined.size(), 4U);
  EXPECT_NE(std::find(joined.begin(), joined.end(), in("cpu")), joined.end());
  EXPECT_FALSE(std::filesystem::exists(in("cpu") / "u1"));
  EXPECT_EQ(text_of(in("cpu") / "cpu.shares"), std::to_string(cpu_shares(all_cpus_milli())));
}

TEST_F(CgroupV1Test, AHierarchyOfTwoControllersIsEnteredOnce) {
  const auto joined = groups_.folders("u1/main.0", ContainerLimits());
  EXPECT_EQ(joined.size(), 3U);
}

/// Forks until it may not any more; how many there were.
int forks_in(const std::vector<std::filesystem::path>& folders) {
  int pipe[2];
  if (::pipe(pipe) != 0) return -1;
  const pid_t child = ::fork();
  if (child == 0) {
    for (const auto& folder : folders) {
      if (!write_setting(folder / "cgroup.procs", "0")) ::_exit(1);
    }
    char count = 0;
    std::vector<pid_t> made;
    for (; count < 100; ++count) {
      const pid_t next = ::fork();
      if (next == 0) ::pause();
      if (next < 0) break;
      made.push_back(next);
    }
    [[maybe_unused]] const ssize_t told = ::write(pipe[1], &count, 1);
    for (const pid_t pid : made) ::kill(pid, SIGKILL);
    for (const pid_t pid : made) ::waitpid(pid, nullptr, 0);
    ::_exit(0);
  }
  ::close(pipe[1]);
  char count = -1;
  [[maybe_unused]] const ssize_t got = ::read(pipe[0], &count, 1);
  ::close(pipe[0]);
  ::waitpid(child, nullptr, 0);
  return count;
}

TEST(KernelCgroups, HoldAndGoAway) {
#if __has_feature(thread_sanitizer)
  GTEST_SKIP() << "each process has a thread more under ThreadSanitizer, which counts";
#endif
  const std::string name = "trainyard-test-" + std::to_string(::getpid());
  auto opened = open_cgroups(name);
  if (!opened) GTEST_SKIP() << "no control groups here: " << opened.error().message();
  CgroupDriver& groups = **opened;
  ContainerLimits few = limits();
  few.processes = 10;
  const auto made = groups.make("u1/main.0", few);
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_EQ(forks_in(groups.folders("u1/main.0", few)), 9);
  const auto counted = groups.counters("u1/main.0");
  ASSERT_TRUE(counted) << counted.error().message();
  EXPECT_GT(counted->cpu_microseconds, 0);
  EXPECT_EQ(counter_in(text_of(groups.oom_file("u1/main.0")), "oom_kill"), 0);
  const auto removed = groups.remove("u1");
  EXPECT_TRUE(removed) << removed.error().message();
  EXPECT_TRUE(groups.children("").empty());
}

}  // namespace
}  // namespace trainyard::node
