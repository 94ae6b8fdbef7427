// Containers under the real shim. Needs root, as the shim's namespaces do here.
#include "node/run/container_run.h"

#include "base/files/files.h"
#include "base/files/test_folder.h"
#include "base/task_group.h"
#include "base/test_loop.h"
#include "node/logs/log_file.h"
#include "node/run/run_watcher.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <signal.h>
#include <unistd.h>

namespace trainyard::node {
namespace {

using Phase = RunState::Phase;

void nothing() {}

awaitable<void> read_end(LogFile& file, bool& ended) {
  const auto piece = co_await file.read();
  ended = piece && piece->empty();
}

class ContainerRunTest : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "only root may make the shim's namespaces";
    ::signal(SIGCHLD, SIG_IGN);  // as the server does: nobody has to reap shims
    watcher_.start();
  }
  void TearDown() override {
    if (const int pid = shim_pid(); pid > 0 && state() != Phase::kEnded) {
      ::kill(pid, SIGKILL);
      wait_for(Phase::kEnded);
    }
    loop_.run(watcher_.stop());
  }

  /// Another server's view of the same run.
  ContainerRun make_run() { return {folder_.path() / "run", TRAINYARD_SHIM}; }
  RunSpec shell(const std::string& script) {
    RunSpec spec;
    spec.command = {"/bin/sh", "-c", script};
    spec.environment = {{"PATH", "/usr/bin:/bin"}};
    spec.working_dir = "/";
    spec.hostname = "test";
    spec.overlay = folder_.path() / "overlay";
    return spec;
  }
  void start(const RunSpec& spec) {
    const auto started = make_run().start(spec);
    ASSERT_TRUE(started) << started.error().message();
  }
  Phase state() { return make_run().state().phase; }
  /// Follows the run until it has ended.
  RunState follow() {
    const ContainerRun run = make_run();
    loop_.run(trainyard::node::follow(watcher_, loop_.executor(), run, nothing));
    return run.state();
  }
  /// Follows until the phase is reached, then lets go.
  void wait_for(Phase phase) {
    const ContainerRun run = make_run();
    TaskGroup tasks(loop_.executor());
    bool reached = false;
    tasks.spawn("follower", trainyard::node::follow(watcher_, loop_.executor(), run, [&] {
                  reached = reached || run.state().phase == phase;
                }));
    loop_.run_until([&] { return reached; });
    loop_.run(tasks.stop());
  }
  void wait_until(const std::function<bool()>& condition) {
    while (!condition()) loop_.run(clock_.sleep_for(std::chrono::milliseconds(2)));
  }
  int shim_pid() const {
    int pid = 0;
    std::ifstream(folder_.path() / "run" / "pid") >> pid;
    return pid;
  }
  std::string log(client::LogOptions options = {}) {
    const ContainerRun run = make_run();
    LogFile file(loop_.executor(), clock_, run.folder(), std::move(options),
                 [run] { return run.state().phase == Phase::kEnded; });
    EXPECT_TRUE(loop_.run(file.open()));
    std::string all;
    while (true) {
      const auto piece = loop_.run(file.read());
      EXPECT_TRUE(piece);
      if (!piece || piece->empty()) return all;
      all += *piece;
    }
  }

  TestLoop loop_;
  SystemClock clock_;
  TestFolder folder_;
  RunWatcher watcher_{loop_.executor(), clock_};
};

TEST_F(ContainerRunTest, ARunThatWasNeverStartedIsAbsent) {
  EXPECT_EQ(state(), Phase::kAbsent);
  EXPECT_EQ(follow().phase, Phase::kAbsent);
}

TEST_F(ContainerRunTest, TellsHowAContainerEnded) {
  struct Case {
    const char* script;
    std::int64_t code;
    std::int64_t signal;
    const char* reason;
  };
  for (const Case& expected : {Case{"exit 0", 0, 0, "Completed"},
                               {"exit 7", 7, 0, "Error"},
                               {"kill -KILL $$", 137, 9, "Error"}}) {
    SCOPED_TRACE(expected.script);
    std::filesystem::remove_all(folder_.path() / "run");
    start(shell(expected.script));
    const RunState ended = follow();
    EXPECT_EQ(ended.phase, Phase::kEnded);
    EXPECT_EQ(ended.exit_code, expected.code);
    EXPECT_EQ(ended.signal, expected.signal);
    EXPECT_EQ(ended.reason, expected.reason);
    EXPECT_TRUE(ended.started && ended.finished);
  }
}

TEST_F(ContainerRunTest, AProgramThatIsNotThereIsAStartError) {
  RunSpec spec = shell("");
  spec.command = {"/no/such/program"};
  start(spec);
  const RunState ended = follow();
  EXPECT_EQ(ended.phase, Phase::kEnded);
  EXPECT_EQ(ended.reason, "StartError");
  EXPECT_EQ(ended.exit_code, 128);
  EXPECT_NE(ended.message.find("/no/such/program"), std::string::npos) << ended.message;
}

TEST_F(ContainerRunTest, TheContainerGetsAllThatTheSpecSays) {
  const auto volume = folder_.path() / "volume";
  const auto secret = folder_.path() / "secret";
  ASSERT_TRUE(make_folders(volume, 0755) && make_folders(secret, 0755));
  ASSERT_TRUE(write_file(volume / "in", "data", 0644));
  ASSERT_TRUE(write_file(secret / "token", "hidden", 0644));
  RunSpec spec = shell(
      "exec 2>&1; echo \"$GREETING $(hostname) $(pwd) $(cat /vol/in)\"; "
      "echo changed > /vol/out; echo no > /ro/x; ls " +
      secret.string() + " | wc -l; df -k /mem | tail -1 | awk '{print $2}'");
  spec.environment.emplace_back("GREETING", "hello\tyou");
  spec.working_dir = "/usr";
  spec.masks = {secret};
  spec.mounts = {{Mount::Type::kBind, volume, "/vol", false, 0, false},
                 {Mount::Type::kBind, volume, "/ro", true, 0, false},
                 {Mount::Type::kTmpfs, "", "/mem", false, 1 << 20, false}};
  start(spec);
  EXPECT_EQ(follow().exit_code, 0);
  const std::string text = log();
  EXPECT_TRUE(text.starts_with("hello\tyou test /usr data\n")) << text;
  EXPECT_NE(text.find("Read-only file system"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("0\n1024\n")) << text;
  EXPECT_EQ(read_file(volume / "out").value_or(""), "changed\n");
}

TEST_F(ContainerRunTest, FoldersOfThePodItselfAreMade) {
  RunSpec spec = shell("echo kept > /scratch/file");
  const auto scratch = folder_.path() / "pod" / "scratch";
  spec.mounts = {{Mount::Type::kBind, scratch, "/scratch", false, 0, true}};
  start(spec);
  EXPECT_EQ(follow().exit_code, 0);
  EXPECT_EQ(read_file(scratch / "file").value_or(""), "kept\n");
}

TEST_F(ContainerRunTest, AnotherServerAdoptsARunningContainer) {
  start(shell("trap 'exit 5' TERM; echo heard >&2; while :; do sleep 0.01; done"));
  wait_until([&] {
    return read_file(make_run().folder() / "log").value_or("").find("heard") != std::string::npos;
  });
  const int shim = shim_pid();
  start(shell("echo a second container must not start"));
  EXPECT_EQ(state(), Phase::kRunning);
  EXPECT_EQ(shim_pid(), shim);
  make_run().stop(30);
  const RunState ended = follow();
  EXPECT_EQ(ended.exit_code, 5) << "the trap was heard: SIGTERM comes first";
  EXPECT_EQ(log(), "heard\n");
}

TEST_F(ContainerRunTest, WhoDoesNotObeyIsKilledAfterTheGracePeriod) {
  start(shell("trap '' TERM; echo deaf; while :; do sleep 0.01; done"));
  wait_until([&] {
    return read_file(make_run().folder() / "log").value_or("").find("deaf") != std::string::npos;
  });
  make_run().stop(600);
  make_run().stop(0);  // less than before
  const RunState ended = follow();
  EXPECT_EQ(ended.exit_code, 137);
  EXPECT_EQ(ended.signal, 9);
}

TEST_F(ContainerRunTest, AContainerWhoseShimWasKilledIsLost) {
  start(shell("sleep 1000"));
  wait_for(Phase::kRunning);
  ::kill(shim_pid(), SIGKILL);
  const RunState ended = follow();
  EXPECT_EQ(ended.phase, Phase::kEnded);
  EXPECT_EQ(ended.reason, "Lost");
  EXPECT_EQ(ended.exit_code, 137);
}

TEST_F(ContainerRunTest, ARunFromBeforeARebootEndedWithIt) {
  start(shell("exit 0"));
  follow();
  const int shim = shim_pid();
  wait_until([&] { return ::kill(shim, 0) != 0; });
  const auto run = folder_.path() / "run";
  std::filesystem::remove(run / "exit");
  ASSERT_TRUE(write_file(run / "pid", "1 1 another-boot\n", 0600));
  const RunState state = make_run().state();
  EXPECT_EQ(state.phase, Phase::kEnded);
  EXPECT_EQ(state.reason, "NodeRebooted");
}

TEST_F(ContainerRunTest, ALogFollowerSeesEveryByteAndEndsWithTheContainer) {
  start(shell("for i in 1 2 3; do echo line $i; sleep 0.02; done; printf end"));
  client::LogOptions options;
  options.follow = true;
  wait_for(Phase::kRunning);
  EXPECT_EQ(log(options), "line 1\nline 2\nline 3\nend");
}

TEST_F(ContainerRunTest, ALogFollowerEndsAlsoWhenTheShimIsKilled) {
  start(shell("echo begun; sleep 1000"));
  wait_for(Phase::kRunning);
  TaskGroup tasks(loop_.executor());
  const ContainerRun run = make_run();
  client::LogOptions options;
  options.follow = true;
  LogFile file(loop_.executor(), clock_, run.folder(), options,
               [&] { return run.state().phase == Phase::kEnded; });
  ASSERT_TRUE(loop_.run(file.open()));
  ASSERT_EQ(loop_.run(file.read()).value_or(""), "begun\n");
  bool ended = false;
  tasks.spawn("reader", read_end(file, ended));
  loop_.run_ready();
  EXPECT_FALSE(ended);
  ::kill(shim_pid(), SIGKILL);
  loop_.run_until([&] { return ended; });
  loop_.run(tasks.stop());
}

}  // namespace
}  // namespace trainyard::node
