#include "client/reporting/events.h"

#include "base/fake_clock.h"
#include "base/test_loop.h"
#include "client/fake_api.h"

#include <gtest/gtest.h>

namespace trainyard::client {
namespace {

using namespace std::chrono_literals;

class EventsTest : public testing::Test {
 protected:
  EventsTest() : clock_(loop_.executor()), api_(loop_.executor(), clock_) {
    pod_ = api_.put(kPods, {{"apiVersion", "v1"},
                            {"kind", "Pod"},
                            {"metadata", {{"name", "p"}, {"namespace", "ns"}}}});
  }
  void tell(EventRecorder& recorder, const std::string& message) {
    loop_.run(recorder.warning(pod_, "Failed", message));
  }

  TestLoop loop_;
  FakeClock clock_;
  FakeApi api_;
  ObjectPtr pod_;
};

TEST_F(EventsTest, WritesWhoSaysItAboutWhom) {
  EventRecorder recorder(api_, clock_, "trainyard-node", "node-1");
  tell(recorder, "no such image");
  ASSERT_EQ(api_.all(kEvents).size(), 1U);
  const Json event = api_.all(kEvents)[0]->body();
  EXPECT_EQ(string_at(event, "involvedObject.uid"), uid_of(pod_->body()));
  EXPECT_EQ(string_at(event, "reportingComponent"), "trainyard-node");
  EXPECT_EQ(string_at(event, "reportingInstance"), "node-1");
  EXPECT_EQ(string_at(event, "source.host"), "node-1");
  EXPECT_EQ(string_at(event, "type"), "Warning");
  EXPECT_EQ(int_at(event, "count"), 1);
}

TEST_F(EventsTest, CountsARepeatAlsoOfAnEarlierProcess) {
  {
    EventRecorder recorder(api_, clock_, "trainyard-node");
    tell(recorder, "again");
    clock_.advance(60s);
    tell(recorder, "again");
  }
  EventRecorder successor(api_, clock_, "trainyard-node");
  tell(successor, "again");
  ASSERT_EQ(api_.all(kEvents).size(), 1U);
  const Json event = api_.all(kEvents)[0]->body();
  EXPECT_EQ(int_at(event, "count"), 3);
  EXPECT_EQ(string_at(event, "lastTimestamp"), format_time(clock_.wall()));
  EXPECT_NE(string_at(event, "firstTimestamp"), string_at(event, "lastTimestamp"));
}

TEST_F(EventsTest, WritesAnewWhatHasExpiredMeanwhile) {
  EventRecorder recorder(api_, clock_, "trainyard-node");
  tell(recorder, "again");
  api_.erase(kEvents, key_of(api_.all(kEvents)[0]->body()));
  tell(recorder, "again");
  ASSERT_EQ(api_.all(kEvents).size(), 1U);
  EXPECT_EQ(int_at(api_.all(kEvents)[0]->body(), "count"), 1);
}

TEST_F(EventsTest, PutsTheEventsOfClusterWideObjectsIntoDefault) {
  const ObjectPtr node = api_.put(
      kNodes, {{"apiVersion", "v1"}, {"kind", "Node"}, {"metadata", {{"name", "node-1"}}}});
  EventRecorder recorder(api_, clock_, "trainyard-node");
  loop_.run(recorder.normal(node, "Ready", "here"));
  EXPECT_EQ(namespace_of(api_.all(kEvents)[0]->body()), "default");
}

}  // namespace
}  // namespace trainyard::client
