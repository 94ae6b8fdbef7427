// The built shim with control groups of the kernel: who is in them.

#include "shim/test_shim.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

namespace trainyard::shim {
namespace {

/// A hierarchy of version 2: every kernel lets root mount it, beside those of version 1 too.
class ShimCgroup : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root, to mount control groups";
    if (::mount("none", mounted_.path().c_str(), "cgroup2", 0, nullptr) != 0) {
      GTEST_SKIP() << "no control groups of version 2 can be mounted here";
    }
    name_ = "trainyard-shim-test-" + std::to_string(::getpid());
    group_ = mounted_.path() + "/" + name_;
    if (::mkdir(group_.c_str(), 0755) != 0) {
      ::umount2(mounted_.path().c_str(), MNT_DETACH);
      GTEST_SKIP() << "no control group can be made here";
    }
    shim_.add("cgroup", group_);
  }
  void TearDown() override {
    if (group_.empty()) return;
    EXPECT_TRUE(eventually([&] { return members().empty(); }));
    EXPECT_EQ(::rmdir(group_.c_str()), 0);
    ::umount2(mounted_.path().c_str(), MNT_DETACH);
  }

  std::vector<pid_t> members() const {
    std::vector<pid_t> pids;
    std::istringstream lines(read_text(group_ + "/cgroup.procs"));
    for (pid_t pid = 0; lines >> pid;) pids.push_back(pid);
    return pids;
  }
  bool shim_is_in() const {
    const auto all = members();
    return std::find(all.begin(), all.end(), shim_.pid()) != all.end();
  }

  TemporaryFolder mounted_;
  std::string name_;
  std::string group_;
  TestShim shim_;
};

TEST_F(ShimCgroup, TheContainerIsInItBeforeItRuns) {
  shim_.add("namespaces", "1").script("cat /proc/self/cgroup").run();
  EXPECT_EQ(shim_.exit("code"), "0");
  EXPECT_NE(shim_.log().out.find("/" + name_ + "\n"), std::string::npos) << shim_.log().out;
}

TEST_F(ShimCgroup, AllThatItForksIsInItAndTheShimIsNot) {
  shim_.add("namespaces", "1").add("grace", "1");
  shim_.script("sleep 600 & (sleep 601 & sleep 602) & setsid sleep 603 & wait");
  shim_.start();
  EXPECT_TRUE(eventually([&] { return members().size() == 5; })) << members().size();
  EXPECT_FALSE(shim_is_in());
  shim_.terminate();
  EXPECT_TRUE(shim_.wait_for_exit());
}

}  // namespace
}  // namespace trainyard::shim
