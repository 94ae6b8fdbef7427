#include "client/watching/informer.h"

#include "base/fake_clock.h"
#include "base/task_group.h"
#include "base/test_loop.h"
#include "client/fake_api.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace trainyard::client {
namespace {

using namespace std::chrono_literals;

Json pod(const std::string& name) {
  return {{"kind", "Pod"}, {"metadata", {{"name", name}, {"namespace", "ns"}}}};
}

class InformerTest : public testing::Test {
 protected:
  InformerTest()
      : clock_(loop_.executor()),
        api_(loop_.executor(), clock_),
        informer_(loop_.executor(), api_, clock_, kPods),
        tasks_(loop_.executor()) {
    informer_.add_index(kByNamespace, own_namespace);
    informer_.add_listener([this](const ObjectPtr& object, bool deleted) {
      heard_.push_back((deleted ? "-" : "+") + std::string(name_of(object->body())));
    });
  }
  ~InformerTest() override { loop_.run(tasks_.stop()); }
  void start() {
    tasks_.spawn("informer", informer_.run());
    loop_.run_ready();
  }
  void pass(std::chrono::nanoseconds span) {
    clock_.advance(span);
    loop_.run_ready();
  }
  std::vector<std::string> heard() {
    loop_.run_ready();
    return std::exchange(heard_, {});
  }

  TestLoop loop_;
  FakeClock clock_;
  FakeApi api_;
  Informer informer_;
  TaskGroup tasks_;
  std::vector<std::string> heard_;
};

using Heard = std::vector<std::string>;

TEST_F(InformerTest, EndsTheProcessWithTheObjectsNameWhenAListenerThrows) {
  informer_.add_listener([](const ObjectPtr&, bool) { throw std::out_of_range("no such key"); });
  api_.put(kPods, pod("a"));
  EXPECT_DEATH(start(), "informer of pods.*no such key");
}

TEST_F(InformerTest, TellsWhatIsThereAndThenWhatChanges) {
  api_.put(kPods, pod("a"));
  start();
  EXPECT_TRUE(informer_.synced());
  EXPECT_EQ(heard(), Heard{"+a"});
  api_.put(kPods, pod("b"));
  api_.erase(kPods, Key{"ns", "a"});
  EXPECT_EQ(heard(), (Heard{"+b", "-a"}));
  EXPECT_EQ(informer_.objects().size(), 1U);
  EXPECT_EQ(informer_.by_index("namespace", "ns").size(), 1U);
}

TEST_F(InformerTest, SaysWhenObjectsMayHaveComeAndGoneUnseen) {
  int gaps = 0;
  informer_.on_gap([&] { ++gaps; });
  start();
  api_.break_watches();
  loop_.run_ready();
  pass(200ms);
  EXPECT_EQ(gaps, 0);  // the history told all
  api_.break_watches();
  loop_.run_ready();
  api_.put(kPods, pod("a"));
  api_.erase(kPods, Key{"ns", "a"});
  api_.forget_history();
  for (int i = 0; i < 3; ++i) pass(1s);
  EXPECT_EQ(heard(), Heard{});
  EXPECT_EQ(gaps, 1);
}

TEST_F(InformerTest, GoesOnWhereItWasAfterALostConnection) {
  api_.put(kPods, pod("a"));
  start();
  (void)heard();
  api_.break_watches();
  loop_.run_ready();
  api_.put(kPods, pod("b"));
  EXPECT_EQ(heard(), Heard{});  // it waits a moment first
  pass(200ms);
  EXPECT_EQ(heard(), Heard{"+b"});
  EXPECT_EQ(api_.calls("list"), 1U);
  EXPECT_EQ(api_.calls("watch"), 2U);
}

TEST_F(InformerTest, ListsAgainWhenItsPlaceIsGoneAndTellsOnlyTheDifference) {
  api_.put(kPods, pod("a"));
  api_.put(kPods, pod("b"));
  start();
  (void)heard();
  api_.break_watches();
  loop_.run_ready();
  api_.erase(kPods, Key{"ns", "a"});
  api_.put(kPods, pod("c"));
  api_.forget_history();
  pass(200ms);
  pass(400ms);
  EXPECT_EQ(heard(), (Heard{"-a", "+c"}));
  EXPECT_EQ(api_.calls("list"), 2U);
}

TEST_F(InformerTest, TellsOfBothWhenANameWasReusedInBetween) {
  api_.put(kPods, pod("a"));
  start();
  (void)heard();
  api_.break_watches();
  api_.erase(kPods, Key{"ns", "a"});
  api_.put(kPods, pod("a"));
  api_.forget_history();
  loop_.run_ready();
  pass(200ms);
  pass(400ms);
  EXPECT_EQ(heard(), (Heard{"-a", "+a"}));
}

TEST_F(InformerTest, KeepsItsPlaceByBookmarks) {
  start();
  api_.forget_history();
  api_.send_bookmarks();
  loop_.run_ready();
  pass(200ms);
  pass(400ms);
  const std::size_t lists = api_.calls("list");
  api_.send_bookmarks();
  loop_.run_ready();
  api_.break_watches();
  loop_.run_ready();
  pass(200ms);
  api_.put(kPods, pod("b"));
  EXPECT_EQ(heard(), Heard{"+b"});
  EXPECT_EQ(api_.calls("list"), lists);
}

TEST_F(InformerTest, WaitsLongerAndLongerWhileTheServerIsAway) {
  api_.before_call = [](const FakeApi::Call&) -> Result<> {
    return Error(Code::kUnavailable, "nobody there");
  };
  start();
  for (int i = 0; i < 600; ++i) pass(100ms);
  // 100 ms, 200 ms … 10 s, each with up to as much again: between 7 and 15 tries in a minute.
  EXPECT_GE(api_.calls("list"), 7U);
  EXPECT_LE(api_.calls("list"), 16U);
  api_.before_call = nullptr;
  api_.put(kPods, pod("a"));
  pass(20s);
  EXPECT_EQ(heard(), Heard{"+a"});
}

TEST_F(InformerTest, DoesNotSpinWhenEveryPlaceIsGoneAtOnce) {
  api_.before_call = [](const FakeApi::Call& call) -> Result<> {
    if (call.verb == "watch") return Error(Code::kExpired, "too old");
    return Ok();
  };
  start();
  EXPECT_EQ(api_.calls("list"), 1U);
  pass(200ms);
  EXPECT_EQ(api_.calls("list"), 2U);
}

TEST_F(InformerTest, KnowsAtOnceWhatItWasToldOf) {
  start();
  const auto made = loop_.run(api_.create(kPods, "ns", pod("a")));
  informer_.note(*made);
  EXPECT_EQ(informer_.by_index("namespace", "ns").size(), 1U);
  EXPECT_EQ(heard(), Heard{"+a"});
}

TEST_F(InformerTest, AnOlderEventDoesNotReplaceWhatItWasToldOf) {
  api_.put(kPods, pod("a"));
  start();
  Json changed = api_.find(kPods, Key{"ns", "a"})->body();
  make_path(changed, "spec.step") = 1;
  api_.put(kPods, changed);
  make_path(changed, "spec.step") = 2;
  const ObjectPtr newest = api_.put(kPods, changed);
  informer_.note(newest);
  std::vector<std::int64_t> steps;
  informer_.add_listener([&](const ObjectPtr&, bool) {
    steps.push_back(int_at(informer_.objects().at(Key{"ns", "a"})->body(), "spec.step"));
  });
  loop_.run_ready();
  EXPECT_EQ(steps, (std::vector<std::int64_t>{2, 2}));
}

TEST_F(InformerTest, WhatIsGoneStaysGoneWhenItIsToldOfTooLate) {
  start();
  const ObjectPtr made = api_.put(kPods, pod("a"));
  api_.erase(kPods, Key{"ns", "a"});
  loop_.run_ready();
  informer_.note(made);
  EXPECT_TRUE(informer_.objects().empty());
}

TEST_F(InformerTest, OnlyTellsWhenItKeepsNoCopy) {
  informer_.keep_no_copy();
  api_.put(kPods, pod("a"));
  start();
  api_.put(kPods, pod("b"));
  EXPECT_EQ(heard(), (Heard{"+a", "+b"}));
  EXPECT_TRUE(informer_.objects().empty());
}

}  // namespace
}  // namespace trainyard::client
