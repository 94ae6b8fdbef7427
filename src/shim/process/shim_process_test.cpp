// The built shim with real processes: exit codes, signals, logs, what it leaves behind.

#include "shim/process/process_stat.h"
#include "shim/test_shim.h"

#include <gtest/gtest.h>

#include <chrono>
#include <fcntl.h>
#include <filesystem>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

namespace trainyard::shim {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

bool is_alive(const std::string& pid) {
  std::string stat = read_text("/proc/" + pid + "/stat");
  return !stat.empty() && stat.find(") Z ") == stat.npos;
}

/// The first process in the machine whose command line contains `text`; "" if there is none.
std::string find_process(const std::string& text) {
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != name.npos) continue;
    if (read_text("/proc/" + name + "/cmdline").find(text) != std::string::npos) return name;
  }
  return "";
}

/// Each test runs with namespaces and without.
class ShimProcess : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root, to make namespaces";
    shim_.add("namespaces", GetParam());
  }
  bool in_namespaces() const { return GetParam() == std::string("1"); }

  TestShim shim_;
};

INSTANTIATE_TEST_SUITE_P(Namespaces, ShimProcess, testing::Values("1", "0"), [](const auto& info) {
  return info.param == std::string("1") ? "With" : "Without";
});

TEST_P(ShimProcess, ReportsSuccess) {
  shim_.script("exit 0").run();
  EXPECT_EQ(shim_.exit("code"), "0");
  EXPECT_EQ(shim_.exit("signal"), "0");
  EXPECT_EQ(shim_.exit("reason"), "");
  EXPECT_EQ(shim_.exit("finished").size(), 30u);
  EXPECT_EQ(shim_.file("started").size(), 31u);
  EXPECT_LE(shim_.file("started").substr(0, 30), shim_.exit("finished"));
}

TEST_P(ShimProcess, ReportsExitCode) {
  shim_.script("exit 42").run();
  EXPECT_EQ(shim_.exit("code"), "42");
}

TEST_P(ShimProcess, ReportsSignal) {
  shim_.script("kill -SEGV $$").run();
  EXPECT_EQ(shim_.exit("code"), "139");
  EXPECT_EQ(shim_.exit("signal"), "11");
}

TEST_P(ShimProcess, SaysWhichCommandIsMissing) {
  shim_.add("env", "PATH=/no:/where").add("arg", "torchrun").run();
  EXPECT_EQ(shim_.exit("code"), "127");
  EXPECT_EQ(shim_.exit("reason"), "StartError");
  EXPECT_EQ(shim_.exit("message"),
            "exec: \"torchrun\": executable file not found in $PATH (/no:/where)");
  EXPECT_FALSE(exists(shim_.dir() + "/started"));
}

TEST_P(ShimProcess, SaysWhichFileIsMissing) {
  shim_.add("arg", "/no/program").run();
  EXPECT_EQ(shim_.exit("code"), "127");
  EXPECT_EQ(shim_.exit("message"),
            "exec: \"/no/program\": no such file or directory in the container");
}

TEST_P(ShimProcess, SaysThatAFileIsNotExecutable) {
  shim_.add("arg", "/etc/passwd").run();
  EXPECT_EQ(shim_.exit("code"), "126");
  EXPECT_NE(shim_.exit("message").find("\"/etc/passwd\": not executable"), std::string::npos);
}

TEST_P(ShimProcess, SaysThatAnInterpreterIsMissing) {
  std::string script = shim_.folder("bin") + "/tool";
  write_text(script, "#!/no/python\n");
  ::chmod(script.c_str(), 0755);
  shim_.add("arg", script).run();
  EXPECT_EQ(shim_.exit("code"), "127");
  EXPECT_NE(shim_.exit("message").find("the interpreter or loader"), std::string::npos);
}

TEST_P(ShimProcess, HasTheGroupsAndCapabilitiesOfTheSpec) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can take groups";
  shim_.add("group", "4").add("group", "20").add("capabilities", "33");
  shim_.script("grep -E '^(Groups|CapBnd|CapEff|NoNewPrivs):' /proc/self/status").run();
  EXPECT_EQ(shim_.log().out,
            "Groups:\t4 20 \nCapEff:\t0000000000000021\nCapBnd:\t0000000000000021\n"
            "NoNewPrivs:\t1\n");
}

TEST_P(ShimProcess, SaysThatTheWorkingDirIsMissing) {
  shim_.script("true").add("cwd", "/no/folder").run();
  EXPECT_EQ(shim_.exit("code"), "128");
  EXPECT_EQ(shim_.exit("message"), "workingDir /no/folder does not exist in the container");
}

TEST_P(ShimProcess, GivesExactlyTheEnvironmentAndDirectoryAsked) {
  shim_.script("env | sort | grep -v ^_= ; exec pwd").add("cwd", "/usr").add("env", "A=1 2").run();
  EXPECT_EQ(shim_.log().out, "A=1 2\nPATH=/usr/bin:/bin\nPWD=/usr\n/usr\n");
}

TEST_P(ShimProcess, KeepsStreamsApartToTheByte) {
  shim_.script(R"(printf 'a\0b\377\n\n\n'; printf 'err' >&2; printf 'no newline')").run();
  ParsedLog log = shim_.log();
  EXPECT_EQ(log.broken, "");
  EXPECT_EQ(log.out, std::string("a\0b\377\n\n\nno newline", 17));
  EXPECT_EQ(log.err, "err");
}

TEST_P(ShimProcess, KeepsALineOfAMegabyte) {
  shim_
      .script(
          "head -c 1000000 /dev/zero | tr '\\0' x; echo; head -c 3000000 /dev/urandom | "
          "tee /proc/self/fd/2")
      .run();
  ParsedLog log = shim_.log();
  EXPECT_EQ(log.broken, "");
  ASSERT_EQ(log.out.size(), 4000001u);
  EXPECT_EQ(log.out.substr(0, 1000001), std::string(1000000, 'x') + "\n");
  EXPECT_EQ(log.out.substr(1000001), log.err);
  EXPECT_EQ(log.longest_text, 16384u);
}

TEST_P(ShimProcess, ShowsAnUnfinishedLineWhileItRuns) {
  shim_.script("printf '50%%'; sleep 100").start();
  EXPECT_TRUE(eventually([&] { return shim_.log().out == "50%"; }));
  EXPECT_EQ(shim_.log().partial_records, 1u);
}

TEST_P(ShimProcess, NamesItsProcessSafely) {
  shim_.script("sleep 100").start();
  std::string stat = read_text("/proc/" + std::to_string(shim_.pid()) + "/stat");
  std::string boot = read_text("/proc/sys/kernel/random/boot_id");
  boot.pop_back();
  EXPECT_EQ(shim_.file("pid"), std::to_string(shim_.pid()) + " " +
                                   std::to_string(stat_field(stat, kStatStartTime).value_or(0)) +
                                   " " + boot + " 2\n");
  EXPECT_NE(stat.find("(trainyard-shim)"), std::string::npos);
}

TEST_P(ShimProcess, StaysSmall) {
  shim_.script("yes | head -c 2000000; head -c 300000 /dev/zero | tr '\\0' '\\n'; sleep 100");
  shim_.start();
  EXPECT_TRUE(eventually([&] { return exists(shim_.dir() + "/started"); }));
  // A million lines of "y"; the log has 41 bytes more for each.
  EXPECT_TRUE(eventually([&] {
    return std::filesystem::file_size(shim_.dir() + "/log") >= 1'000'000u * 42 + 300'000u * 41;
  }));
  std::string status = read_text("/proc/" + std::to_string(shim_.pid()) + "/status");
  long kilobytes = std::atol(status.c_str() + status.find("VmHWM:") + 6);
  RecordProperty("rss_peak_kb", std::to_string(kilobytes));
  EXPECT_LT(kilobytes, 1536);
  EXPECT_GT(kilobytes, 100);
}

TEST_P(ShimProcess, HoldsTheLockAndHidesItFromTheContainer) {
  shim_.script("ls -l /proc/self/fd | grep -c lock; ls /proc/self/fd | wc -l; sleep 100").start();
  EXPECT_TRUE(shim_.is_locked());
  // stdin, stdout, stderr and the folder that ls reads.
  EXPECT_TRUE(eventually([&] { return shim_.log().out == "0\n4\n"; })) << shim_.log().out;
}

TEST_P(ShimProcess, ForwardsSigterm) {
  shim_.script("trap 'echo bye; exit 7' TERM; echo ready; while :; do sleep 0.01; done").start();
  ASSERT_TRUE(eventually([&] { return shim_.log().out == "ready\n"; }));
  shim_.terminate();
  ASSERT_TRUE(shim_.wait_for_exit());
  EXPECT_EQ(shim_.exit("code"), "7");
  EXPECT_EQ(shim_.log().out, "ready\nbye\n");
}

TEST_P(ShimProcess, KillsAfterTheGracePeriod) {
  shim_.add("grace", "1").script("trap 'echo no' TERM; echo ready; while :; do sleep 0.01; done");
  shim_.start();
  ASSERT_TRUE(eventually([&] { return shim_.log().out == "ready\n"; }));
  auto start = Clock::now();
  shim_.terminate();
  ASSERT_TRUE(shim_.wait_for_exit());
  EXPECT_GT(seconds_since(start), 0.9);
  EXPECT_LT(seconds_since(start), 3.0);
  EXPECT_EQ(shim_.exit("code"), "137");
  EXPECT_NE(shim_.exit("message").find("grace period"), std::string::npos);
  EXPECT_EQ(shim_.log().out, "ready\nno\n");
}

TEST_P(ShimProcess, LetsASecondSigtermShortenTheGracePeriod) {
  shim_.add("grace", "100").script("trap '' TERM; echo ready; while :; do sleep 0.01; done");
  shim_.start();
  ASSERT_TRUE(eventually([&] { return shim_.log().out == "ready\n"; }));
  shim_.terminate();
  ::usleep(50'000);
  write_text(shim_.dir() + "/grace", "200\n");  // longer: changes nothing
  shim_.terminate();
  ::usleep(50'000);
  EXPECT_FALSE(exists(shim_.dir() + "/exit"));
  write_text(shim_.dir() + "/grace", "0\n");
  shim_.terminate();
  auto start = Clock::now();
  ASSERT_TRUE(shim_.wait_for_exit());
  EXPECT_LT(seconds_since(start), 2.0);
  EXPECT_EQ(shim_.exit("signal"), "9");
}

TEST_P(ShimProcess, IgnoresOtherSignals) {
  shim_.script("echo ready; sleep 100").start();
  ASSERT_TRUE(eventually([&] { return shim_.log().out == "ready\n"; }));
  for (int number : {SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGPIPE, SIGALRM}) {
    ::kill(shim_.pid(), number);
  }
  ::usleep(100'000);
  EXPECT_TRUE(shim_.is_locked());
  EXPECT_FALSE(exists(shim_.dir() + "/exit"));
}

TEST_P(ShimProcess, GivesTheContainerDefaultSignals) {
  shim_.script("grep -E 'Sig(Blk|Ign)|NoNewPrivs' /proc/self/status").run();
  EXPECT_EQ(shim_.log().out,
            "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\nNoNewPrivs:\t1\n");
}

TEST_P(ShimProcess, LeavesNoDaemonBehind) {
  // Two forks and a new session, as daemons do; it also keeps the pipe open.
  std::string mark = "98" + std::to_string(::getpid()) + GetParam();
  shim_.script("(setsid sh -c '(sleep " + mark + " & sleep " + mark +
               "1) &' &) ; "
               "while ! pgrep -f 'sleep " +
               mark + "1' >/dev/null; do sleep 0.01; done; echo up");
  auto start = Clock::now();
  shim_.run();
  EXPECT_LT(seconds_since(start), 2.0);
  EXPECT_EQ(shim_.exit("code"), "0");
  EXPECT_EQ(shim_.log().out, "up\n");
  EXPECT_EQ(find_process("sleep" + std::string(1, '\0') + mark), "");
}

TEST_P(ShimProcess, TakesTheContainerAlongWhenItIsKilled) {
  std::string mark = "97" + std::to_string(::getpid()) + GetParam();
  // Without a PID namespace only the main process is sure to go: that is all the kernel offers.
  shim_.script(in_namespaces() ? "(setsid sleep " + mark + " &); exec sleep 99"
                               : "exec sleep " + mark);
  shim_.start();
  std::string pid;
  ASSERT_TRUE(eventually([&] {
    pid = find_process("sleep" + std::string(1, '\0') + mark);
    return !pid.empty();
  }));
  ::kill(shim_.pid(), SIGKILL);
  EXPECT_TRUE(eventually([&] { return !is_alive(pid) && !shim_.is_locked(); }));
  EXPECT_FALSE(exists(shim_.dir() + "/exit"));
}

TEST_P(ShimProcess, RunsAsAnotherUser) {
  shim_.add("uid", "1234").add("gid", "4321");
  shim_.script("id -u; id -g; id -G; echo again > /dev/stdout; grep CapEff /proc/self/status")
      .run();
  EXPECT_EQ(shim_.log().out, "1234\n4321\n4321\nagain\nCapEff:\t0000000000000000\n");
  EXPECT_EQ(shim_.log().err, "");
}

TEST_P(ShimProcess, DropsDangerousCapabilities) {
  shim_.script("grep -E 'Cap(Eff|Bnd|Prm)' /proc/self/status").run();
  std::istringstream lines(shim_.log().out);
  int count = 0;
  for (std::string name, value; lines >> name >> value; ++count) {
    std::uint64_t set = std::stoull(value, nullptr, 16);
    for (int capability : {16, 17, 19, 21, 22, 27}) {
      EXPECT_EQ(set >> capability & 1, 0u) << name << " has capability " << capability;
    }
    EXPECT_EQ(set & 1, 1u) << name << " should keep CAP_CHOWN";
  }
  EXPECT_EQ(count, 3);
}

TEST_P(ShimProcess, BlocksTheContainerWhileTheDiskIsFull) {
  // The folder becomes a small file system that later grows.
  ASSERT_EQ(::mount("tmpfs", shim_.dir().c_str(), "tmpfs", 0, "size=256k"), 0);
  shim_.script("i=0; while [ $i -lt 60000 ]; do echo $i; i=$((i+1)); done").start();
  std::string log = shim_.dir() + "/log";
  EXPECT_TRUE(eventually([&] { return exists(log) && std::filesystem::file_size(log) > 200'000; }));
  ::usleep(300'000);
  EXPECT_FALSE(exists(shim_.dir() + "/exit"));
  EXPECT_EQ(::mount("tmpfs", shim_.dir().c_str(), "tmpfs", MS_REMOUNT, "size=16m"), 0);
  EXPECT_TRUE(shim_.wait_for_exit());
  std::string expected;
  for (int i = 0; i < 60000; ++i) expected += std::to_string(i) + "\n";
  EXPECT_EQ(shim_.log().broken, "");
  EXPECT_TRUE(shim_.log().out == expected);
  EXPECT_EQ(shim_.exit("message"), "");
  ::umount2(shim_.dir().c_str(), MNT_DETACH);
}

TEST_P(ShimProcess, CanBeStoppedWhileTheDiskIsFull) {
  ASSERT_EQ(::mount("tmpfs", shim_.dir().c_str(), "tmpfs", 0, "size=256k"), 0);
  shim_.add("grace", "0").script("exec yes").start();
  std::string log = shim_.dir() + "/log";
  EXPECT_TRUE(eventually([&] { return exists(log) && std::filesystem::file_size(log) > 200'000; }));
  ::usleep(100'000);
  shim_.terminate();  // once, and it waits for no room
  const auto told = std::chrono::steady_clock::now();
  EXPECT_TRUE(shim_.wait_for_exit());
  EXPECT_LT(std::chrono::steady_clock::now() - told, std::chrono::seconds(15));
  EXPECT_NE(shim_.exit("message").find("the end of the log was lost"), std::string::npos);
  EXPECT_NE(shim_.exit("signal"), "0");
  EXPECT_GE(std::atoi(shim_.exit("lost").c_str()), 4096);
  ::umount2(shim_.dir().c_str(), MNT_DETACH);
}

TEST_P(ShimProcess, LeavesRoomForOthersOnAFullDisk) {
  ASSERT_EQ(::mount("tmpfs", shim_.dir().c_str(), "tmpfs", 0, "size=1m"), 0);
  shim_.add("grace", "0").script("exec yes").start();
  std::string log = shim_.dir() + "/log";
  EXPECT_TRUE(eventually([&] { return exists(log) && std::filesystem::file_size(log) > 900'000; }));
  ::usleep(100'000);
  EXPECT_GE(std::filesystem::space(shim_.dir()).available, 28U << 10);
  shim_.terminate();
  EXPECT_TRUE(shim_.wait_for_exit());
  ::umount2(shim_.dir().c_str(), MNT_DETACH);
}

TEST_P(ShimProcess, NotesItsEndOnADiskThatOthersHaveFilled) {
  ASSERT_EQ(::mount("tmpfs", shim_.dir().c_str(), "tmpfs", 0, "size=256k"), 0);
  shim_.add("grace", "0").script("sleep 1000").start();
  EXPECT_TRUE(eventually([&] { return exists(shim_.dir() + "/started"); }));
  write_text(shim_.dir() + "/filler", std::string(1 << 20, 'x'));
  shim_.terminate();
  EXPECT_TRUE(shim_.wait_for_exit());
  EXPECT_TRUE(shim_.exit("signal") == "9" || shim_.exit("signal") == "15") << shim_.file("exit");
  ::umount2(shim_.dir().c_str(), MNT_DETACH);
}

TEST_P(ShimProcess, DoesNotStartWhereItsEndCouldNotBeNoted) {
  ASSERT_EQ(::mount("tmpfs", shim_.dir().c_str(), "tmpfs", 0, "size=64k"), 0);
  shim_.script("touch " + shim_.folder("volume") + "/ran");
  EXPECT_EQ(shim_.fill_before_start(), 0);
  // It waits for room for what it has to tell, but not for ever.
  EXPECT_TRUE(eventually([&] { return !shim_.is_locked(); }));
  EXPECT_FALSE(exists(shim_.folder("volume") + "/ran"));
  ::umount2(shim_.dir().c_str(), MNT_DETACH);
}

TEST_P(ShimProcess, LeavesNothingWhenTheSpecIsWrong) {
  shim_.add("colour", "red").script("true");
  EXPECT_EQ(shim_.start(), 1);
  EXPECT_NE(shim_.complaint().find("the key \"colour\" is unknown"), std::string::npos);
  EXPECT_FALSE(shim_.is_locked());
  EXPECT_FALSE(exists(shim_.dir() + "/pid"));
  EXPECT_EQ(shim_.exit("reason"), "StartError");
}

TEST_P(ShimProcess, EntersItsControlGroupsBeforeItBecomesTheProgram) {
  const std::string first = shim_.folder("version-1");
  const std::string second = shim_.folder("version-2");
  write_text(first + "/tasks", "");
  write_text(first + "/cgroup.procs", "");
  write_text(second + "/cgroup.procs", "");
  shim_.add("cgroup", first).add("cgroup", second).script("exit 0").run();
  EXPECT_EQ(shim_.exit("code"), "0") << shim_.exit("message");
  EXPECT_EQ(read_text(first + "/tasks"), "0");
  EXPECT_EQ(read_text(first + "/cgroup.procs"), "");
  EXPECT_EQ(read_text(second + "/cgroup.procs"), "0");
}

TEST_P(ShimProcess, DoesNotStartOutsideOfAControlGroupThatIsGone) {
  shim_.add("cgroup", shim_.folder("empty")).script("exit 0").run();
  EXPECT_EQ(shim_.exit("reason"), "StartError");
  EXPECT_NE(shim_.exit("message").find("cgroup"), std::string::npos) << shim_.exit("message");
}

}  // namespace
}  // namespace trainyard::shim
