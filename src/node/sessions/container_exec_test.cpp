// Commands in containers under the real shim. Needs root, as the shim's namespaces do here.
#include "node/sessions/container_exec.h"

#include "base/files/test_folder.h"
#include "base/test_loop.h"
#include "node/run/container_run.h"

#include <gtest/gtest.h>

#include <signal.h>
#include <unistd.h>

namespace trainyard::node {
namespace {

using namespace std::chrono_literals;
using Phase = RunState::Phase;

class ContainerExecTest : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "only root may make the shim's namespaces";
    ::signal(SIGCHLD, SIG_IGN);
    ::signal(SIGPIPE, SIG_IGN);
    RunSpec spec;
    spec.command = {"/bin/sh", "-c", "exec sleep 600"};
    spec.environment = {{"PATH", "/usr/bin:/bin"}, {"COLOUR", "red"}};
    spec.working_dir = "/usr";
    spec.hostname = "test";
    spec.overlay = folder_.path() / "overlay";
    const auto started = run().start(spec);
    ASSERT_TRUE(started) << started.error().message();
    while (run().state().phase != Phase::kRunning) ::usleep(1000);
  }
  void TearDown() override {
    if (::geteuid() == 0) end_container();
  }

  ContainerRun run() { return {folder_.path() / "run", TRAINYARD_SHIM}; }
  void end_container() {
    run().stop(0);
    while (!run().state().has_ended()) ::usleep(1000);
  }
  Result<CommandResult> execute(std::vector<std::string> command,
                                std::chrono::nanoseconds timeout = 20s) {
    return loop_.run(
        run_in_container(loop_.executor(), clock_, run().folder(), std::move(command), timeout));
  }
  Result<CommandResult> shell(const std::string& script, std::chrono::nanoseconds timeout = 20s) {
    return execute({"sh", "-c", script}, timeout);
  }
  std::unique_ptr<client::PodSession> start(const client::SessionOptions& options,
                                            const std::string& script) {
    auto session =
        start_command(loop_.executor(), clock_, run().folder(), options, {"sh", "-c", script});
    EXPECT_TRUE(session) << session.error().message();
    return *std::move(session);
  }
  /// Everything that comes on one stream until the end.
  std::string read_all(client::PodSession& session,
                       client::OutputStream stream = client::OutputStream::kOut) {
    std::string text;
    while (true) {
      auto piece = loop_.run(session.read());
      EXPECT_TRUE(piece);
      if (!piece || !*piece) return text;
      if ((*piece)->stream == stream) text += (*piece)->bytes;
    }
  }

  TestLoop loop_;
  SystemClock clock_;
  TestFolder folder_;
};

TEST_F(ContainerExecTest, GivesExitCodeAndOutput) {
  const auto result = shell("echo $COLOUR; pwd; hostname >&2; exit 7");
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->exit_code, 7);
  // Each stream keeps its order; nothing says which of the two is read first.
  std::string output = result->output;
  const std::size_t host = output.find("test\n");
  ASSERT_NE(host, std::string::npos) << output;
  output.erase(host, sizeof("test\n") - 1);
  EXPECT_EQ(output, "red\n/usr\n");
}

TEST_F(ContainerExecTest, AMissingProgramIsAnExitCodeAndAReason) {
  const auto result = execute({"no-such-program"});
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->exit_code, 127);
  EXPECT_NE(result->output.find("\"no-such-program\": executable file not found"),
            std::string::npos);
}

TEST_F(ContainerExecTest, ASignalIsAnExitCodeAsShellsHaveIt) {
  const auto result = shell("kill -TERM $$");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->exit_code, 128 + SIGTERM);
}

TEST_F(ContainerExecTest, WhatTakesTooLongIsKilled) {
  const auto result = shell("sleep 601 & sleep 602", 100ms);
  ASSERT_TRUE(result.failed_with(Code::kTimeout));
  const auto gone = [&] {
    const auto running = shell("cat /proc/[0-9]*/cmdline | tr '\\0' ' '");
    return running && running->output.find("sleep 601") == std::string::npos &&
           running->output.find("sleep 602") == std::string::npos;
  };
  for (int i = 0; i < 100 && !gone(); ++i) ::usleep(10'000);
  EXPECT_TRUE(gone());
}

TEST_F(ContainerExecTest, OutputBeyondTheLimitIsReadAndDropped) {
  const auto result = shell("yes | head -c 1000000; exit 3");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->exit_code, 3);
  EXPECT_EQ(result->output.size(), kCommandOutputLimit);
}

TEST_F(ContainerExecTest, ProcessLeftInTheBackgroundDoesNotHoldTheCommand) {
  const auto result = shell("sleep 600 & echo started");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->output, "started\n");
}

TEST_F(ContainerExecTest, NoCommandRunsInAnEndedContainer) {
  end_container();
  const auto result = shell("true");
  ASSERT_TRUE(result.failed_with(Code::kBadRequest));
  EXPECT_NE(result.error().message().find("has ended"), std::string::npos);
}

TEST_F(ContainerExecTest, CommandsThatCannotBeSaidAreRefused) {
  EXPECT_TRUE(execute({}).failed_with(Code::kBadRequest));
  EXPECT_TRUE(execute({""}).failed_with(Code::kBadRequest));
  EXPECT_TRUE(execute({"sh", std::string("a\0b", 3)}).failed_with(Code::kBadRequest));
  EXPECT_TRUE(execute({"sh", "-c", std::string(1 << 20, 'x')}).failed_with(Code::kBadRequest));
}

TEST_F(ContainerExecTest, InputIsPassedOnUntilItIsClosed) {
  client::SessionOptions options;
  options.input = options.output = true;
  const auto session = start(options, "wc -c");
  ASSERT_TRUE(loop_.run(session->write(std::string(300'000, 'x'))));
  session->close_input();
  EXPECT_EQ(read_all(*session), "300000\n");
  EXPECT_EQ(session->end().exit_code, 0);
}

TEST_F(ContainerExecTest, InputThatNobodyReadsIsDropped) {
  client::SessionOptions options;
  options.input = options.output = true;
  const auto session = start(options, "exec <&-; echo closed; sleep 0.2");
  EXPECT_TRUE(loop_.run(session->write(std::string(300'000, 'x'))));
  EXPECT_EQ(read_all(*session), "closed\n");
}

TEST_F(ContainerExecTest, ATerminalHasASizeAndBothDirections) {
  client::SessionOptions options;
  options.input = options.output = options.tty = true;
  const auto session = start(options, "read line; tty -s && stty size; echo $TERM; exit 4");
  session->resize(120, 40);
  ASSERT_TRUE(loop_.run(session->write("go\n")));
  EXPECT_EQ(read_all(*session), "go\r\n40 120\r\nxterm\r\n");
  EXPECT_EQ(session->end().exit_code, 4);
}

TEST_F(ContainerExecTest, HangingUpEndsAReadUnderWay) {
  client::SessionOptions options;
  options.output = true;
  const auto session = start(options, "sleep 600");
  session->hang_up();
  EXPECT_TRUE(loop_.run(session->read()).failed_with(Code::kCancelled));
}

}  // namespace
}  // namespace trainyard::node
