#include "workloads/event_expiry.h"

#include "workloads/test_world.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace trainyard::workloads {
namespace {

using namespace std::chrono_literals;

class EventExpiryTest : public testing::Test {
 protected:
  EventExpiryTest() : expiry_(world_.loop.executor(), world_.api, world_.clock) {
    expiry_.start();
    world_.pass(1s);
  }
  ~EventExpiryTest() override { world_.loop.run(expiry_.stop()); }
  void happens(const std::string& name) {
    Json event = make_object("v1", "Event", "ns", name);
    const ObjectPtr before = world_.api.find(kEvents, Key{"ns", name});
    if (before != nullptr) event = before->body();
    make_path(event, "lastTimestamp") = format_time(world_.clock.wall());
    world_.api.put(kEvents, std::move(event));
  }
  bool exists(const std::string& name) {
    return world_.api.find(kEvents, Key{"ns", name}) != nullptr;
  }

  TestWorld world_;
  EventExpiry expiry_;
};

TEST_F(EventExpiryTest, RemovesAnEventAnHourAfterItLastHappened) {
  happens("once");
  happens("twice");
  world_.pass(50min, 1min);
  happens("twice");
  world_.pass(9min, 1min);
  EXPECT_TRUE(exists("once"));
  world_.pass(6min, 1min);
  EXPECT_FALSE(exists("once"));
  EXPECT_TRUE(exists("twice"));
  world_.pass(50min, 1min);
  EXPECT_FALSE(exists("twice"));
}

TEST_F(EventExpiryTest, RemovesAnEventThatNeverStopsAfterADay) {
  for (int i = 0; i < 47; ++i) {
    happens("steady");
    world_.pass(30min, 10min);
  }
  EXPECT_TRUE(exists("steady"));
  world_.pass(36min, 1min);
  EXPECT_FALSE(exists("steady"));
}

TEST_F(EventExpiryTest, RemovesManyEvents) {
  for (int i = 0; i < 1000; ++i) happens(fmt::format("e{}", i));
  world_.pass(55min, 1min);
  EXPECT_EQ(world_.api.all(kEvents).size(), 1000U);
  world_.pass(20min, 1min);
  EXPECT_TRUE(world_.api.all(kEvents).empty());
}

TEST(EventExpiryTime, CountsFromTheLatestTimeThatTheEventTells) {
  const Json event{{"metadata", {{"creationTimestamp", "2026-03-01T10:00:00Z"}}},
                   {"series", {{"lastObservedTime", "2026-03-01T12:00:00.000000Z"}}}};
  EXPECT_EQ(format_time(event_expiry(event)), "2026-03-01T13:00:00Z");
}

}  // namespace
}  // namespace trainyard::workloads
