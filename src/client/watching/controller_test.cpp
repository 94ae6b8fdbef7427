#include "client/watching/controller.h"

#include "base/fake_clock.h"
#include "base/test_loop.h"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>
#include <vector>

namespace trainyard::client {
namespace {

using namespace std::chrono_literals;

/// Records runs, each of which takes 2 ms; fails or asks for another look as told.
class Recorder final : public Reconciler {
 public:
  explicit Recorder(Clock& clock) : clock_(clock) {}

  awaitable<Result<Requeue>> reconcile(Key key) override {
    EXPECT_TRUE(active_.insert(key).second) << "two workers on one key";
    co_await clock_.sleep_for(2ms);
    active_.erase(key);
    runs.push_back(key);
    if (failures_left > 0) {
      --failures_left;
      if (throws) throw std::runtime_error("thrown by a library");
      co_return Error(Code::kConflict, "try again");
    }
    co_return again;
  }

  std::vector<Key> runs;
  int failures_left = 0;
  bool throws = false;
  Requeue again;
  std::vector<std::string> told;

  awaitable<void> tell_internal_error(Key key, std::string text) override {
    told.push_back(key.name + ": " + text);
    co_return;
  }

 private:
  Clock& clock_;
  std::set<Key> active_;
};

class ControllerTest : public testing::Test {
 protected:
  ControllerTest()
      : clock_(loop_.executor()),
        recorder_(clock_),
        controller_("test", loop_.executor(), clock_, recorder_) {}
  ~ControllerTest() override { loop_.run(controller_.stop()); }
  void pass(std::chrono::milliseconds span) {
    loop_.run_ready();
    for (std::chrono::milliseconds step{}; step < span; step += 1ms) {
      clock_.advance(1ms);
      loop_.run_ready();
    }
  }

  TestLoop loop_;
  FakeClock clock_;
  Recorder recorder_;
  Controller controller_;
  const Key key_{"ns", "a"};
};

TEST_F(ControllerTest, RunsAKeyOnceForManyAddsAndAgainWhenAddedDuringTheRun) {
  controller_.start(2);
  controller_.add(key_);
  controller_.add(key_);
  pass(1ms);
  controller_.add(key_);
  pass(50ms);
  EXPECT_EQ(recorder_.runs.size(), 2U);
}

TEST_F(ControllerTest, RetriesWhatFailedLaterAndLater) {
  recorder_.failures_left = 3;
  controller_.start(2);
  controller_.add(key_);
  pass(8ms);  // 2 ms of work, 5 ms of waiting
  EXPECT_EQ(recorder_.runs.size(), 1U);
  pass(100ms);
  EXPECT_EQ(recorder_.runs.size(), 4U);
}

TEST_F(ControllerTest, TakesAnExceptionForAFailure) {
  recorder_.failures_left = 1;
  recorder_.throws = true;
  controller_.start(1);
  controller_.add(key_);
  pass(50ms);
  EXPECT_EQ(recorder_.runs.size(), 2U);
  ASSERT_FALSE(recorder_.told.empty());
  EXPECT_NE(recorder_.told[0].find("a: Trainyard itself failed here"), std::string::npos);
}

TEST_F(ControllerTest, LooksAgainWhenAskedTo) {
  recorder_.again = Requeue(100ms);
  controller_.start(1);
  controller_.add(key_);
  pass(350ms);
  EXPECT_EQ(recorder_.runs.size(), 4U);
}

TEST_F(ControllerTest, MakesOneLookOfAllThatIsAddedWhileItWaits) {
  controller_.start(1);
  controller_.add_after(key_, 50ms);
  controller_.add_after(key_, 80ms);
  controller_.add_after(Key{"ns", "b"}, 20ms);
  pass(40ms);
  EXPECT_EQ(recorder_.runs.size(), 1U);
  pass(100ms);
  EXPECT_EQ(recorder_.runs, (std::vector<Key>{Key{"ns", "b"}, key_}));
}

}  // namespace
}  // namespace trainyard::client
