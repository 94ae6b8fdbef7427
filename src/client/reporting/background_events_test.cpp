#include "client/reporting/background_events.h"

#include "base/fake_clock.h"
#include "base/test_loop.h"
#include "client/fake_api.h"

#include <gtest/gtest.h>

namespace trainyard::client {
namespace {

class BackgroundEventsTest : public testing::Test {
 protected:
  ~BackgroundEventsTest() override { loop_.run(events_.stop()); }
  ObjectPtr pod(const std::string& name) {
    return api_.put(kPods, {{"kind", "Pod"}, {"metadata", {{"name", name}, {"namespace", "ns"}}}});
  }
  std::vector<std::string> written() {
    std::vector<std::pair<std::int64_t, std::string>> events;
    for (const ObjectPtr& event : api_.all(kEvents)) {
      events.emplace_back(event->revision(), string_at(event->body(), "message"));
    }
    std::sort(events.begin(), events.end());
    std::vector<std::string> messages;
    for (auto& [revision, message] : events) messages.push_back(message);
    return messages;
  }

  TestLoop loop_;
  FakeClock clock_{loop_.executor()};
  FakeApi api_{loop_.executor(), clock_};
  EventRecorder recorder_{api_, clock_, "test"};
  BackgroundEvents events_{loop_.executor(), recorder_};
};

TEST_F(BackgroundEventsTest, WritesWhatWasToldOfAnObjectInOrder) {
  const ObjectPtr about = pod("a");
  events_.normal(about, "One", "first");
  events_.warning(about, "Two", "second");
  events_.normal(about, "Three", "third");
  EXPECT_TRUE(written().empty()) << "nobody waits for it";
  loop_.run_ready();
  EXPECT_EQ(written(), (std::vector<std::string>{"first", "second", "third"}));
}

TEST_F(BackgroundEventsTest, GoesOnAfterOneThatCannotBeWritten) {
  api_.before_call = [](const FakeApi::Call& call) -> Result<> {
    if (call.verb == "create") return Error(Code::kUnavailable, "the disk is full");
    return Ok();
  };
  const ObjectPtr about = pod("a");
  events_.normal(about, "One", "first");
  loop_.run_ready();
  api_.before_call = nullptr;
  events_.normal(about, "Two", "second");
  loop_.run_ready();
  EXPECT_EQ(written(), std::vector<std::string>{"second"});
}

}  // namespace
}  // namespace trainyard::client
