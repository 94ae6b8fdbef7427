// The built shim, started by an ordinary user: a user namespace instead of root's rights, and a
// mirror of the host's root instead of the overlay, which the kernel refuses there.

#include "shim/test_shim.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace trainyard::shim {
namespace {

/// To nobody, who also stands for everybody unknown in a user namespace, the host's files seem to
/// belong; to others they do not.
class ShimUser : public testing::TestWithParam<uid_t> {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root, to become another user";
    if (std::string why = TestShim::why_not_as(GetParam()); !why.empty()) GTEST_SKIP() << why;
    mounts_before_ = read_text("/proc/self/mountinfo");
  }
  void TearDown() override {
    if (!mounts_before_.empty()) EXPECT_EQ(read_text("/proc/self/mountinfo"), mounts_before_);
  }
  /// A folder of the user's with one file in it.
  std::string folder_with(const std::string& name, const std::string& file) {
    std::string folder = shim_.folder(name);
    write_text(folder + "/" + file, "from the host\n");
    return folder;
  }
  void run() {
    EXPECT_EQ(shim_.start_as(GetParam()), 0) << shim_.complaint();
    EXPECT_TRUE(shim_.wait_for_exit()) << "no DIR/exit";
  }

  TestShim shim_;
  std::string mounts_before_;
};

INSTANTIATE_TEST_SUITE_P(Users, ShimUser, testing::Values(65534, 1234), [](const auto& info) {
  return info.param == 65534 ? "Nobody" : "Somebody";
});

std::string missing_path(const std::string& below) {
  return below + "shim-test-" + std::to_string(::getpid());
}

std::string lines(const std::set<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += text + "\n";
  return all;
}

TEST_P(ShimUser, MakesAMissingMountPointInTheRoot) {
  std::string volume = folder_with("volume", "a");
  std::string target = missing_path("/");
  shim_.overlay().add("bind", "rw:" + volume + ":" + target).add("cwd", target);
  shim_.script("pwd; cat a; echo new > b; id -u; id -g");
  run();
  std::string id = std::to_string(GetParam()) + "\n";
  EXPECT_EQ(shim_.log().out, target + "\nfrom the host\n" + id + id) << shim_.exit("message");
  EXPECT_EQ(read_text(volume + "/b"), "new\n");
  EXPECT_EQ(shim_.file("notes"), "overlay: Invalid argument\n");
  EXPECT_FALSE(exists(target));
}

TEST_P(ShimUser, HasAnotherTreeForItsRoot) {
  std::string tree = shim_.folder("tree");
  make_tree(tree);
  shim_.overlay().add("lower", tree).add("bind", "ro:/usr:/usr").add("devices", "own");
  shim_.script(
      "cat /etc/os-release; touch /etc/new && echo made; test -e /home || echo alone; id -u");
  run();
  EXPECT_EQ(shim_.log().out, "another\nmade\nalone\n" + std::to_string(GetParam()) + "\n")
      << shim_.log().err << shim_.exit("message");
  EXPECT_FALSE(exists(tree + "/etc/new"));
}

TEST_P(ShimUser, MakesMissingMountPointsDeepInFoldersOfTheHost) {
  std::string volume = folder_with("volume", "a");
  std::string opt = missing_path("/opt/");
  std::string lib = missing_path("/usr/lib/");
  shim_.overlay().add("bind", "rw:" + volume + ":" + opt + "/y");
  shim_.add("bind", "ro:" + volume + "/a:" + lib + "/y/file");
  shim_.script("ls " + opt + "/y; cat " + lib + "/y/file; cat /usr/lib/os-release > /dev/null");
  run();
  EXPECT_EQ(shim_.log().out, "a\nfrom the host\n") << shim_.exit("message") << shim_.log().err;
  EXPECT_EQ(shim_.exit("code"), "0") << shim_.log().err;
  EXPECT_FALSE(exists(opt));
  EXPECT_FALSE(exists(lib));
}

TEST_P(ShimUser, MountsBelowAFolderThatItMayNotLookInto) {
  struct stat root{};
  if (::stat("/root", &root) != 0 || (root.st_mode & 0001) != 0) GTEST_SKIP() << "/root is open";
  std::string volume = folder_with("volume", "a");
  shim_.overlay().add("bind", "ro:" + volume + ":/root/.ssh");
  shim_.script("cat /root/.ssh/a; ls -A /root; touch /root/new 2>/dev/null || echo sealed");
  run();
  EXPECT_EQ(shim_.log().out, "from the host\n.ssh\nsealed\n") << shim_.exit("message");
}

TEST_P(ShimUser, MakesMissingMountPointsInDevAndRun) {
  std::string volume = folder_with("volume", "a");
  std::string in_dev = missing_path("/dev/");
  std::string in_run = missing_path("/run/");
  shim_.overlay().add("bind", "rw:" + volume + "/a:" + in_dev);
  shim_.add("bind", "ro:" + volume + ":" + in_run);
  shim_.script("cat " + in_dev + "; ls " + in_run + "; head -c 2 /dev/zero | wc -c; ls /dev/shm");
  run();
  EXPECT_EQ(shim_.log().out.substr(0, 18), "from the host\na\n2\n") << shim_.exit("message");
  EXPECT_EQ(shim_.exit("code"), "0") << shim_.log().err;
  EXPECT_FALSE(exists(in_dev));
  EXPECT_FALSE(exists(in_run));
}

TEST_P(ShimUser, ShowsTheRestOfTheHostAsItIs) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator("/")) {
    names.insert(entry.path().filename());
  }
  shim_.overlay().script(
      "LC_ALL=C ls -A /; stat -c '%N %a' /bin /etc /usr /tmp >&2; "
      "ls /sys/kernel /dev/pts > /dev/null");
  run();
  EXPECT_EQ(shim_.log().out, lines(names));
  EXPECT_EQ(shim_.exit("code"), "0") << shim_.log().err;
  FILE* host = ::popen("stat -c '%N %a' /bin /etc /usr /tmp", "r");
  char text[1000]{};
  EXPECT_GT(::fread(text, 1, sizeof text - 1, host), 0u);
  ::pclose(host);
  EXPECT_EQ(shim_.log().err, text);
}

TEST_P(ShimUser, WritesNothingBesideVolumes) {
  std::string volume = folder_with("volume", "a");
  std::string opt = missing_path("/opt/");
  shim_.overlay().add("bind", "rw:" + volume + ":" + opt + "/y");
  for (const std::string& place :
       {missing_path("/"), missing_path("/etc/"), opt + "/x", opt + "x"}) {
    shim_.add("env", "P" + std::to_string(place.size()) + "=" + place);
  }
  shim_.script(
      "for p in $(env | grep ^P[0-9] | cut -d= -f2); do touch $p && echo $p; done; echo end");
  run();
  EXPECT_EQ(shim_.log().out, "end\n");
}

TEST_P(ShimUser, BindsReadOnly) {
  std::string volume = folder_with("volume", "a");
  std::string target = missing_path("/");
  shim_.overlay().add("bind", "ro:" + volume + ":" + target);
  shim_.script("cat " + target + "/a; touch " + target + "/b");
  run();
  EXPECT_EQ(shim_.log().out, "from the host\n");
  EXPECT_NE(shim_.log().err.find("Read-only file system"), std::string::npos);
  EXPECT_FALSE(exists(volume + "/b"));
}

TEST_P(ShimUser, MaskHidesAFolderButNotTheVolumesFromIt) {
  std::string data = folder_with("data", "secret");
  std::string volume = folder_with("data/volume", "a");
  shim_.overlay().add("mask", data).add("bind", "rw:" + volume + ":" + missing_path("/"));
  shim_.script("ls -A " + data + "; cat " + missing_path("/") + "/a; touch " + data +
               "/x; umount " + data + "; cat /proc/1/fd/*/spec; ls -A " + data);
  run();
  EXPECT_EQ(shim_.log().out, "from the host\n") << shim_.exit("message");
  EXPECT_FALSE(exists(data + "/x"));
}

TEST_P(ShimUser, HasItsOwnHostnameHostsAndProcesses) {
  std::string hosts = folder_with("files", "hosts") + "/hosts";
  shim_.overlay().add("bind", "rw:" + hosts + ":/etc/hosts").add("hostname", "train-worker-0");
  shim_.script("hostname; cat /etc/hosts; echo /proc/[0-9]*; cat /proc/1/comm");
  run();
  EXPECT_EQ(shim_.log().out, "train-worker-0\nfrom the host\n/proc/1 /proc/2\ntrainyard-shim\n")
      << shim_.exit("message");
}

TEST_P(ShimUser, ReportsExitCodesAndKeepsStreamsApart) {
  shim_.overlay().script("echo out; echo err >&2; exit 42");
  run();
  EXPECT_EQ(shim_.exit("code"), "42");
  EXPECT_EQ(shim_.log().out, "out\n");
  EXPECT_EQ(shim_.log().err, "err\n");
  EXPECT_EQ(shim_.log().broken, "");
}

TEST_P(ShimUser, HasNoRightsLeft) {
  shim_.overlay().script("grep -E 'Cap(Eff|Prm|Inh|Amb)|NoNewPrivs' /proc/self/status | cut -f2");
  run();
  std::string none = "0000000000000000\n";
  EXPECT_EQ(shim_.log().out, none + none + none + none + "1\n");
}

TEST_P(ShimUser, CanBeStopped) {
  shim_.overlay().script("trap 'echo bye; exit 7' TERM; echo ready; while :; do sleep 0.01; done");
  ASSERT_EQ(shim_.start_as(GetParam()), 0) << shim_.complaint();
  ASSERT_TRUE(eventually([&] { return shim_.log().out == "ready\n"; }));
  shim_.terminate();
  ASSERT_TRUE(shim_.wait_for_exit());
  EXPECT_EQ(shim_.exit("code"), "7");
  EXPECT_EQ(shim_.log().out, "ready\nbye\n");
}

TEST_P(ShimUser, LeavesNothingThatTheUserCannotRemove) {
  std::string mark = "96" + std::to_string(::getpid()) + std::to_string(GetParam());
  shim_.overlay().script("(setsid sleep " + mark + " &); echo up");
  run();
  EXPECT_EQ(shim_.log().out, "up\n");
  EXPECT_NE(std::system(("pgrep -f '[s]leep " + mark + "' > /dev/null").c_str()), 0);
  pid_t child = ::fork();
  if (child == 0) {
    if (::setgid(GetParam()) != 0 || ::setuid(GetParam()) != 0) ::_exit(2);
    std::error_code failed;
    for (const char* name : {"dir", "upper", "work", "merged"}) {
      std::filesystem::remove_all(shim_.folder(name), failed);
      if (failed) ::_exit(1);
    }
    ::_exit(0);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_P(ShimUser, WorksOnTheHostsRoot) {
  std::string volume = folder_with("volume", "a");
  std::string target = shim_.folder("target");
  shim_.add("bind", "ro:" + volume + ":" + target).script("ls " + target + "; echo $$");
  run();
  EXPECT_EQ(shim_.log().out, "a\n2\n") << shim_.exit("message");
  EXPECT_EQ(shim_.file("notes"), "");
}

TEST_P(ShimUser, SaysWhichVolumesNeedNamespacesAndHowToAllowThem) {
#if __has_feature(thread_sanitizer)
  GTEST_SKIP() << "who has threads, as under ThreadSanitizer, may not enter a user namespace";
#endif
  std::string volume = folder_with("volume", "a");
  shim_.overlay().add("bind", "rw:" + volume + ":/workspace").add("tmpfs", "0:/scratch");
  shim_.forbid_namespaces().script("true");
  EXPECT_EQ(shim_.start_as(GetParam()), 1);
  EXPECT_EQ(shim_.exit("reason"), "StartError");
  EXPECT_EQ(shim_.exit("message"),
            "mount, UTS and PID namespaces for the volumes at /workspace, /scratch cannot be made: "
            "No space left on device; allow them with `sysctl -w user.max_user_namespaces=10000`, "
            "or run the server as root");
  EXPECT_FALSE(shim_.is_locked());
}

}  // namespace
}  // namespace trainyard::shim
