// When an app was last used, and how seldom that is written down.
#include "console/app_activity.h"

#include "base/fake_clock.h"
#include "base/test_loop.h"
#include "client/fake_api.h"
#include "console/fake_ports.h"

#include <gtest/gtest.h>

namespace trainyard::console {
namespace {

using namespace std::chrono_literals;

class AppActivityTest : public testing::Test {
 protected:
  AppActivityTest()
      : clock_(loop_.executor()),
        api_(loop_.executor(), clock_),
        activity_(loop_.executor(), api_, ports_, clock_) {
    api_.put(contract::kTensorBoards,
             Json{{"apiVersion", "tensorstack.dev/v1beta1"},
                  {"kind", "TensorBoard"},
                  {"metadata", {{"name", "board"}, {"namespace", "vision"}}}});
    api_.after_write = [this](const client::FakeApi::Call&) -> Result<> {
      ++writes_;
      return Ok();
    };
    contract::IdleLimits limits;
    limits.idle_after = 60s;  // a period of 15 s
    activity_.set_limits(limits);
    activity_.start();
    loop_.run_ready();
  }
  ~AppActivityTest() override { loop_.run(activity_.stop()); }

  void pass(std::chrono::seconds span) {
    for (auto left = span; left > 0s; left -= 1s) {
      clock_.advance(1s);
      loop_.run_ready();
    }
  }
  std::string noted() {
    return std::string(annotation_of(api_.find(contract::kTensorBoards, board_.key)->body(),
                                     contract::kLastUsedAnnotation));
  }

  TestLoop loop_;
  FakeClock clock_;
  client::FakeApi api_;
  FakePorts ports_;
  AppActivity activity_;
  AppAddress board_ = *parse_app_target("/vision/tensorboard/board");
  int writes_ = 0;
};

TEST_F(AppActivityTest, TheFirstUseIsWrittenAtOnceAndTheOthersOnceAPeriod) {
  activity_.used(board_);
  loop_.run_ready();
  EXPECT_EQ(noted(), format_time(clock_.wall()));
  EXPECT_EQ(writes_, 1);
  for (int i = 0; i < 60; ++i) {
    pass(1s);
    activity_.used(board_);
  }
  loop_.run_ready();
  EXPECT_GE(writes_, 4);
  EXPECT_LE(writes_, 6);
}

TEST_F(AppActivityTest, AnOpenConnectionIsUse) {
  {
    const AppActivity::Use use(activity_, board_);
    pass(300s);
    const auto last = parse_time(noted());
    ASSERT_TRUE(last);
    EXPECT_GE(*last + 20s, clock_.wall());
  }
  pass(30s);
  const std::string end = noted();
  pass(300s);
  EXPECT_EQ(noted(), end);
}

TEST_F(AppActivityTest, NothingIsWrittenForAppsThatNobodyUses) {
  pass(600s);
  EXPECT_EQ(writes_, 0);
}

TEST_F(AppActivityTest, AnAppThatIsGoneIsNoTrouble) {
  activity_.used(*parse_app_target("/vision/tensorboard/gone"));
  pass(60s);
  EXPECT_EQ(writes_, 0);
}

TEST(NotebookActivity, IsNowWhileAKernelWorks) {
  const WallTime now = *parse_time("2026-03-01T10:00:00Z");
  const Json status{{"last_activity", "2026-03-01T09:00:00.123456Z"}};
  const JsonObject idle{{"execution_state", "idle"}};
  const JsonObject busy{{"execution_state", "busy"}};
  EXPECT_EQ(notebook_activity(status, JsonArray{idle, busy}, now), now);
  const auto last = notebook_activity(status, JsonArray{idle}, now);
  ASSERT_TRUE(last);
  EXPECT_EQ(format_time(*last), "2026-03-01T09:00:00Z");
  EXPECT_EQ(notebook_activity(Json{{"last_activity", "2030-01-01T00:00:00Z"}}, JsonArray(), now),
            now);
  EXPECT_FALSE(notebook_activity(Json(), Json(), now));
}

}  // namespace
}  // namespace trainyard::console
