// Which control groups are taken, over folders that stand for what the kernel has mounted.
#include "node/linux/cgroup_open.h"

#include "base/files/test_folder.h"

#include <gtest/gtest.h>

namespace trainyard::node {
namespace {

namespace fs = std::filesystem;

class CgroupOpenTest : public testing::Test {
 protected:
  fs::path make(const std::string& name) const {
    fs::create_directories(folder_.path() / name);
    return folder_.path() / name;
  }
  /// Controllers cannot be passed on to groups below this one.
  static void refuse(const fs::path& group) {
    fs::create_directories(group / "cgroup.subtree_control");
  }
  static CgroupMount version_2(const fs::path& point) {
    CgroupMount mount;
    mount.unified = true;
    mount.point = point;
    return mount;
  }
  static CgroupMount version_1(const fs::path& point, std::vector<std::string> controllers) {
    CgroupMount mount;
    mount.point = point;
    mount.controllers = std::move(controllers);
    return mount;
  }
  TestFolder folder_;
};

TEST_F(CgroupOpenTest, OfVersion2AreMadeAtTheTopWhereThatIsAllowed) {
  const fs::path mounted = make("unified");
  const auto opened = open_cgroups_of({version_2(mounted)}, "0::/a/b\n", "ours");
  ASSERT_TRUE(opened) << opened.error().message();
  EXPECT_EQ((*opened)->folders("u1/main.0", {}).front(), mounted / "ours/u1/main.0");
  EXPECT_FALSE(fs::exists(mounted / "a"));
}

TEST_F(CgroupOpenTest, OfVersion2AreMadeWhereAnOrdinaryUserMay) {
  const fs::path mounted = make("unified");
  const fs::path delegated = make("unified/user.slice/user@1000.service");
  make("unified/user.slice/user@1000.service/app.scope");
  refuse(mounted);
  refuse(mounted / "user.slice");
  const auto opened =
      open_cgroups_of({version_2(mounted)}, "0::/user.slice/user@1000.service/app.scope\n", "ours");
  ASSERT_TRUE(opened) << opened.error().message();
  EXPECT_EQ((*opened)->folders("u1/main.0", {}).front(), delegated / "ours/u1/main.0");
  EXPECT_FALSE(fs::exists(mounted / "ours")) << "left behind where it was refused";
  EXPECT_FALSE(fs::exists(mounted / "user.slice/ours"));
}

TEST_F(CgroupOpenTest, WhoMayNowhereIsToldWhere) {
  const fs::path mounted = make("unified");
  refuse(mounted);
  const auto opened = open_cgroups_of({version_2(mounted)}, "0::/\n", "ours");
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().message().find("cgroup.subtree_control"), std::string::npos)
      << opened.error().message();
}

TEST_F(CgroupOpenTest, WhereBothVersionsAreMountedTheControllersDecide) {
  const auto opened =
      open_cgroups_of({version_2(make("unified")), version_1(make("cpu"), {"rw", "cpu", "cpuacct"}),
                       version_1(make("memory"), {"memory"}), version_1(make("pids"), {"pids"})},
                      "0::/\n", "ours");
  ASSERT_TRUE(opened) << opened.error().message();
  EXPECT_EQ((*opened)->oom_file("u1"), folder_.path() / "memory/ours/u1/memory.oom_control");
}

TEST_F(CgroupOpenTest, WhatIsMissingIsNamed) {
  const auto some = open_cgroups_of({version_1(make("memory"), {"memory"})}, "", "ours");
  ASSERT_FALSE(some);
  EXPECT_EQ(some.error().message(), "the control groups of cpu are not mounted");
  const auto none = open_cgroups_of({}, "", "ours");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message(), "no control groups are mounted");
}

}  // namespace
}  // namespace trainyard::node
