#include "base/files/files.h"
#include "base/files/test_folder.h"
#include "base/test_loop.h"
#include "jobs/hooks/hook_delivery.h"

#include <gtest/gtest.h>

namespace trainyard::jobs {
namespace {

class HookCommand : public testing::Test {
 protected:
  Result<> run(const std::string& command, std::chrono::seconds limit = std::chrono::seconds(60)) {
    HookLimits limits;
    limits.command = limit;
    const Json notice{{"name", "mnist"}, {"phase", "Failed"}, {"reason", "it's $(broken)\n"}};
    return loop_.run(run_hook_command(clock_, limits, command, log(), notice));
  }
  std::filesystem::path log() const { return folder_.path() / "hooks.log"; }
  std::string written() const { return read_file(log()).value_or(""); }

  TestFolder folder_;
  SystemClock clock_;
  TestLoop loop_;
};

TEST_F(HookCommand, GetsTheNoticeAsInputAndAsVariablesThatNoShellTakesApart) {
  ASSERT_TRUE(run("cat; echo \"$TRAINYARD_JOB $TRAINYARD_PHASE: $TRAINYARD_REASON\""));
  EXPECT_NE(written().find(R"("name":"mnist")"), std::string::npos) << written();
  EXPECT_NE(written().find("mnist Failed: it's $(broken)\n"), std::string::npos) << written();
}

TEST_F(HookCommand, TellsHowItFailed) {
  const auto failed = run("echo some words >&2; exit 7");
  ASSERT_FALSE(failed);
  EXPECT_NE(failed.error().message().find("exited with 7"), std::string::npos)
      << failed.error().message();
  EXPECT_NE(written().find("some words"), std::string::npos);
  EXPECT_NE(run("kill -9 $$").error().message().find("137"), std::string::npos);
}

TEST_F(HookCommand, IsKilledWithAllThatItStartedWhenItTakesTooLong) {
  const auto marker = folder_.path() / "late";
  const auto failed =
      run("(sleep 3; touch " + marker.string() + ") & sleep 60", std::chrono::seconds(1));
  ASSERT_TRUE(failed.failed_with(Code::kTimeout));
  EXPECT_FALSE(std::filesystem::exists(marker));
}

}  // namespace
}  // namespace trainyard::jobs
