#include "client/controller.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include <vector>

namespace trainyard::client {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

/// Records runs; fails or asks for another look as told.
class Recorder final : public Reconciler {
 public:
  awaitable<Result<Requeue>> reconcile(Key key) override {
    EXPECT_TRUE(active.insert(key).second) << "two workers on one key";
    SystemClock clock;
    co_await clock.sleep_for(2ms);
    active.erase(key);
    runs.push_back(key);
    if (failures_left > 0) {
      --failures_left;
      co_return Error(Code::kConflict, "try again");
    }
    co_return Requeue();
  }
  std::set<Key> active;
  std::vector<Key> runs;
  int failures_left = 0;
};

awaitable<void> drive(Controller& controller, std::chrono::milliseconds span) {
  SystemClock clock;
  co_await clock.sleep_for(1ms);
  controller.add({"ns", "a"});  // while it runs: must run again, not at the same time
  co_await clock.sleep_for(span);
  co_await controller.stop();
}

std::vector<Key> runs_after(int failures, std::chrono::milliseconds span) {
  asio::io_context loop;
  SystemClock clock;
  Recorder recorder;
  recorder.failures_left = failures;
  Controller controller("test", loop.get_executor(), clock, recorder);
  controller.add({"ns", "a"});
  controller.add({"ns", "a"});
  controller.start(2);
  asio::co_spawn(loop, drive(controller, span), asio::detached);
  loop.run();
  return recorder.runs;
}

TEST(Controller, RunsAKeyOnceForManyAddsAndAgainWhenAddedDuringTheRun) {
  EXPECT_EQ(runs_after(0, 50ms).size(), 2U);
}

TEST(Controller, RetriesWhatFailed) {
  EXPECT_GE(runs_after(3, 400ms).size(), 4U);
}

}  // namespace
}  // namespace trainyard::client
