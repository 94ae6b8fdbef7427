// The built shim with --wait: it is there before it is known what it will run.

#include "shim/test_shim.h"

#include <gtest/gtest.h>

#include <csignal>
#include <sys/stat.h>
#include <unistd.h>

namespace trainyard::shim {
namespace {

class ShimWaits : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root, to make namespaces and mounts";
  }
  void start_waiting() {
    std::string root = "overlay:" + shim_.folder("upper") + ":" + shim_.folder("work") + ":" +
                       shim_.folder("merged");
    shim_.base("root", root).base("devices", "own").base("mask", shim_.folder("secrets"));
    ASSERT_EQ(shim_.start_waiting(), 0) << shim_.complaint();
    ASSERT_TRUE(shim_.is_locked());
    ASSERT_GT(shim_.pid(), 0);
  }

  TestShim shim_;
};

TEST_F(ShimWaits, RunsWhatItIsToldLaterAlsoInAFolderThatWasMoved) {
  start_waiting();
  shim_.move_to("elsewhere");
  shim_.add("hostname", "late").script("hostname; echo mine > /etc/mine && cat /etc/mine");
  shim_.go();
  ASSERT_TRUE(shim_.wait_for_exit());
  EXPECT_EQ(shim_.exit("code"), "0") << shim_.exit("message");
  EXPECT_EQ(shim_.log().out, "late\nmine\n") << shim_.log().err;
  EXPECT_FALSE(exists("/etc/mine"));
}

TEST_F(ShimWaits, FindsVolumesThatWereMadeWhileItWaited) {
  start_waiting();
  // Below a mask, as all that the server keeps is.
  std::string inner = shim_.folder("secrets/volume");
  write_text(inner + "/file", "from the host\n");
  ::mkdir((inner + "/part").c_str(), 0755);
  write_text(inner + "/part/deep", "below\n");
  shim_.add("bind", "ro:" + inner + ":/data").add("bind", "rw:" + inner + ":/part");
  shim_.add("subpath", "part").add("tmpfs", "1048576:/memory");
  shim_.script(
      "cat /data/file /part/deep; touch /data/no 2>/dev/null || echo fixed; "
      "touch /part/yes /memory/yes && echo open; ls " +
      shim_.folder("secrets"));
  shim_.go();
  ASSERT_TRUE(shim_.wait_for_exit());
  EXPECT_EQ(shim_.log().out, "from the host\nbelow\nfixed\nopen\n") << shim_.log().err;
  EXPECT_TRUE(exists(inner + "/part/yes"));
}

TEST_F(ShimWaits, NothingIsLeftToBeSeenOfTheHostsRoot) {
  start_waiting();
  shim_.script(
      "grep -c ' / / ' /proc/self/mountinfo; grep -c merged /proc/self/mountinfo; "
      "ls -d /proc/1/root/../.. | wc -l");
  shim_.go();
  ASSERT_TRUE(shim_.wait_for_exit());
  TestShim cold;
  cold.add("root", "overlay:" + cold.folder("upper") + ":" + cold.folder("work") + ":" +
                       cold.folder("merged"));
  cold.add("devices", "own").add("mask", cold.folder("secrets"));
  cold.script(
      "grep -c ' / / ' /proc/self/mountinfo; grep -c merged /proc/self/mountinfo; "
      "ls -d /proc/1/root/../.. | wc -l");
  cold.run();
  EXPECT_EQ(shim_.log().out, cold.log().out);
}

TEST_F(ShimWaits, MakesMountPointsInAdvance) {
  shim_.base("point", "/run/shim-test/deep");
  start_waiting();
  shim_.add("bind", "rw:" + shim_.folder("volume") + ":/run/shim-test/deep");
  shim_.script("echo written > /run/shim-test/deep/file").go();
  ASSERT_TRUE(shim_.wait_for_exit());
  EXPECT_EQ(read_text(shim_.folder("volume") + "/file"), "written\n") << shim_.exit("message");
  EXPECT_FALSE(exists("/run/shim-test"));
}

TEST_F(ShimWaits, HasATerminalWhenItIsToldToHaveOne) {
  start_waiting();
  shim_.add("tty", "1").script("test -t 0 && test -t 1 && echo terminal").go();
  ASSERT_TRUE(shim_.wait_for_exit());
  EXPECT_EQ(shim_.log().out, "terminal\r\n");
}

TEST_F(ShimWaits, LeavesNoTraceWhenTheServerHangsUp) {
  start_waiting();
  shim_.script("true").hang_up();
  ASSERT_TRUE(eventually([&] { return !shim_.is_locked(); }));
  EXPECT_FALSE(exists(shim_.dir() + "/pid")) << "a server would take it for one that was killed";
  EXPECT_FALSE(exists(shim_.dir() + "/exit"));
}

TEST_F(ShimWaits, RefusesAnotherKindOfContainer) {
  start_waiting();
  shim_.add("network", "own").script("true").go();
  ASSERT_TRUE(shim_.wait_for_exit());
  EXPECT_EQ(shim_.exit("reason"), "StartError");
  EXPECT_NE(shim_.exit("message").find("another kind"), std::string::npos);
}

TEST_F(ShimWaits, ASignalEndsItLikeAnyOther) {
  start_waiting();
  shim_.script("sleep 1000").go();
  ASSERT_TRUE(eventually([&] { return exists(shim_.dir() + "/started"); }));
  shim_.terminate();
  ASSERT_TRUE(shim_.wait_for_exit());
  EXPECT_EQ(shim_.exit("signal"), std::to_string(SIGTERM));
}

TEST_F(ShimWaits, WorksForAnOrdinaryUser) {
  constexpr uid_t kNobody = 65534;
  if (const std::string why = TestShim::why_not_as(kNobody); !why.empty()) GTEST_SKIP() << why;
  std::string root = "overlay:" + shim_.folder("upper") + ":" + shim_.folder("work") + ":" +
                     shim_.folder("merged");
  shim_.base("root", root).base("devices", "own");
  ASSERT_EQ(shim_.start_waiting(kNobody), 0) << shim_.complaint();
  shim_.move_to("elsewhere");
  shim_.add("bind", "rw:" + shim_.folder("volume") + ":/data").script("ls -d /data; id -u").go();
  ASSERT_TRUE(shim_.wait_for_exit());
  EXPECT_EQ(shim_.log().out, "/data\n65534\n") << shim_.exit("message") << shim_.log().err;
}

}  // namespace
}  // namespace trainyard::shim
