#include "scheduler/driver.h"

#include "base/fake_clock.h"
#include "base/log.h"
#include "base/test_loop.h"
#include "client/fake_api.h"
#include "object/yaml/yaml.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <optional>

namespace trainyard::scheduler {
namespace {

using namespace std::chrono_literals;

Json yaml(const std::string& text) {
  return parse_yaml(text)->front();
}

class SchedulerTest : public testing::Test {
 protected:
  SchedulerTest() : clock_(loop_.executor()), api_(loop_.executor(), clock_) {
    set_log_level(LogLevel::kError);
  }
  ~SchedulerTest() override {
    if (scheduler_) loop_.run(scheduler_->stop());
  }

  void start() {
    scheduler_.emplace(loop_.executor(), api_, clock_);
    scheduler_->start();
    pass(1s);
  }
  void pass(std::chrono::milliseconds span) {
    loop_.run_ready();
    for (auto passed = 0ms; passed < span; passed += 100ms) {
      clock_.advance(100ms);
      loop_.run_ready();
    }
  }

  void node(const std::string& name, const std::string& resources, const std::string& spec = "{}") {
    api_.put(kNodes, yaml(fmt::format("{{apiVersion: v1, kind: Node, metadata: {{name: {}}}, spec: "
                                      "{}, status: {{allocatable: {}, conditions: [{{type: Ready, "
                                      "status: 'True'}}]}}}}",
                                      name, spec, resources)));
  }
  void pod(const std::string& name, const std::string& requests, const std::string& group = "",
           const std::string& spec = "") {
    api_.put(kPods,
             yaml(fmt::format("{{apiVersion: v1, kind: Pod, metadata: {{name: {}, namespace: demo, "
                              "annotations: {{scheduling.k8s.io/group-name: '{}'}}}}, spec: "
                              "{{containers: [{{resources: {{requests: {}}}}}]{}}}}}",
                              name, group, requests, spec)));
  }
  void group(const std::string& name, int members) {
    api_.put(kPodGroups, yaml(fmt::format("{{apiVersion: scheduling.volcano.sh/v1beta1, kind: "
                                          "PodGroup, metadata: {{name: {}, namespace: demo}}, "
                                          "spec: {{minMember: {}}}}}",
                                          name, members)));
  }
  Json get(const Resource& resource, const std::string& name) {
    const ObjectPtr found = api_.find(resource, Key{resource == kNodes ? "" : "demo", name});
    return found ? found->body() : Json();
  }
  std::string node_of(const std::string& pod_name) {
    return std::string(string_at(get(kPods, pod_name), "spec.nodeName"));
  }
  std::string condition(const Json& object, std::string_view type, std::string_view field) {
    for (const Json& one : array_at(object, "status.conditions")) {
      if (string_at(one, "type") == type) return std::string(string_at(one, field));
    }
    return "none";
  }
  std::vector<std::string> events(const std::string& reason) {
    std::vector<std::string> found;
    for (const ObjectPtr& event : api_.all(kEvents)) {
      if (string_at(event->body(), "reason") != reason) continue;
      found.push_back(fmt::format("{} x{}: {}", string_at(event->body(), "involvedObject.name"),
                                  int_at(event->body(), "count"),
                                  string_at(event->body(), "message")));
    }
    return found;
  }

  TestLoop loop_;
  FakeClock clock_;
  client::FakeApi api_;
  std::optional<Scheduler> scheduler_;
};

TEST_F(SchedulerTest, BindsAPodAndSaysSo) {
  node("node-0", "{pods: 10}");
  pod("p", "{}");
  start();
  EXPECT_EQ(node_of("p"), "node-0");
  EXPECT_EQ(events("Scheduled"),
            std::vector<std::string>{"p x1: Successfully assigned demo/p to node-0"});
}

TEST_F(SchedulerTest, BindsAGangWhenItsLastMemberHasCome) {
  node("node-0", "{pods: 10}");
  start();
  pod("g-0", "{}", "g");
  pass(500ms);
  EXPECT_EQ(node_of("g-0"), "") << "its group is not known yet";
  group("g", 2);
  pass(500ms);
  EXPECT_EQ(node_of("g-0"), "");
  pod("g-1", "{}", "g");
  pass(500ms);
  EXPECT_EQ(node_of("g-0"), "node-0");
  EXPECT_EQ(node_of("g-1"), "node-0");
  EXPECT_EQ(condition(get(kPodGroups, "g"), "Scheduled", "status"), "True");
  EXPECT_EQ(string_at(get(kPodGroups, "g"), "status.phase"), "Running");
}

TEST_F(SchedulerTest, NeverListsAgain) {
  node("node-0", "{pods: 10}");
  start();
  const std::size_t lists = api_.calls("list");
  for (int i = 0; i < 5; ++i) pod(fmt::format("p{}", i), "{}");
  pass(1s);
  EXPECT_EQ(node_of("p4"), "node-0");
  EXPECT_EQ(api_.calls("list"), lists);
}

TEST_F(SchedulerTest, WritesTheGpusOfAPodWithItsNode) {
  node("node-0", "{pods: 10, nvidia.com/gpu: 3}");
  pod("p", "{nvidia.com/gpu: 1}");
  start();
  pod("q", "{nvidia.com/gpu: 2}");
  pass(500ms);
  EXPECT_EQ(annotation_of(get(kPods, "p"), client::kGpusAnnotation), "0");
  EXPECT_EQ(annotation_of(get(kPods, "q"), client::kGpusAnnotation), "1,2");
}

TEST_F(SchedulerTest, NumbersTheGpusOfAPodThatCameWithItsNode) {
  node("node-0", "{pods: 10, nvidia.com/gpu: 3}");
  pod("by-hand", "{nvidia.com/gpu: 1}", "", ", nodeName: node-0");
  pod("p", "{nvidia.com/gpu: 2}");
  start();
  EXPECT_EQ(annotation_of(get(kPods, "by-hand"), client::kGpusAnnotation), "0");
  EXPECT_EQ(annotation_of(get(kPods, "p"), client::kGpusAnnotation), "1,2");
}

TEST_F(SchedulerTest, AWaitingGangHasItsReasonEverywhereAndOneEvent) {
  node("node-0", "{pods: 10, memory: 1Gi}");
  group("g", 3);
  for (int i = 0; i < 3; ++i) pod(fmt::format("g-{}", i), "{memory: 1Gi}", "g");
  start();
  pass(20s);
  const std::string reason =
      "0/1 nodes are available: 1 Insufficient memory. job g could never fit: needs 3Gi of memory, "
      "node-0 has 1Gi: start with --overcommit-memory, or ask for less or use fewer replicas.";
  for (const char* name : {"g-0", "g-1", "g-2"}) {
    EXPECT_EQ(condition(get(kPods, name), "PodScheduled", "status"), "False");
    EXPECT_EQ(condition(get(kPods, name), "PodScheduled", "reason"), "Unschedulable");
    EXPECT_EQ(condition(get(kPods, name), "PodScheduled", "message"), reason);
  }
  EXPECT_EQ(condition(get(kPodGroups, "g"), "Unschedulable", "message"), reason);
  EXPECT_EQ(events("FailedScheduling"), std::vector<std::string>{"g-0 x1: " + reason});
}

TEST_F(SchedulerTest, WhatChangesAllTheTimeIsNotWrittenAllTheTime) {
  node("node-0", "{pods: 100, memory: 100Gi}");
  start();
  pod("large", "{memory: 100Gi}");
  pod("first", "{memory: 1Gi}");
  pass(500ms);
  const std::size_t before = events("FailedScheduling").size();
  for (int i = 0; i < 20; ++i) {
    pod(fmt::format("small-{}", i), "{memory: 1Gi}");
    pass(100ms);
  }
  EXPECT_LE(events("FailedScheduling").size(), before + 1);
  pass(20s);
  EXPECT_NE(condition(get(kPods, "large"), "PodScheduled", "message").find("free of 100Gi"),
            std::string::npos);
  const std::size_t writes = api_.writes();
  pass(60s);
  EXPECT_EQ(api_.writes(), writes) << "nothing happens, nothing is written";
}

TEST_F(SchedulerTest, PlacesWhatWaitedWhenRoomComesFree) {
  node("node-0", "{pods: 1}");
  pod("p", "{}");
  start();
  pod("q", "{}");
  pass(1s);
  EXPECT_EQ(node_of("q"), "");
  api_.erase(kPods, Key{"demo", "p"});
  pass(1s);
  EXPECT_EQ(node_of("q"), "node-0");
  EXPECT_EQ(condition(get(kPods, "q"), "PodScheduled", "status"), "True");
}

TEST_F(SchedulerTest, FollowsCordonsAndTaintsOfNodes) {
  node("node-0", "{pods: 10}", "{unschedulable: true}");
  pod("p", "{}");
  start();
  EXPECT_EQ(node_of("p"), "");
  ASSERT_TRUE(api_.user_patches(kNodes, Key{"", "node-0"}, yaml("spec: {unschedulable: null}")));
  pass(1s);
  EXPECT_EQ(node_of("p"), "node-0");
}

TEST_F(SchedulerTest, ABindingThatIsRefusedIsTriedAgain) {
  node("node-0", "{pods: 10}");
  int refusals = 3;
  api_.before_call = [&](const client::FakeApi::Call& call) -> Result<> {
    if (call.verb != "bind" || refusals == 0) return Ok();
    --refusals;
    return Error(Code::kUnavailable, "the disk is full");
  };
  pod("p", "{}");
  start();
  pass(30s);
  EXPECT_EQ(refusals, 0);
  EXPECT_EQ(node_of("p"), "node-0");
}

TEST_F(SchedulerTest, GangsAreBoundAlthoughGpusOfOthersCannotBeNumbered) {
  node("node-0", "{pods: 10, nvidia.com/gpu: 3}");
  int refusals = 0;
  api_.before_call = [&](const client::FakeApi::Call& call) -> Result<> {
    if (call.verb != "patch" || call.key.name != "by-hand" || refusals == 3) return Ok();
    ++refusals;
    return Error(Code::kForbidden, "a quota is in the way");
  };
  pod("by-hand", "{nvidia.com/gpu: 1}", "", ", nodeName: node-0");
  group("g", 2);
  pod("g-0", "{nvidia.com/gpu: 1}", "g");
  pod("g-1", "{nvidia.com/gpu: 1}", "g");
  start();
  EXPECT_EQ(node_of("g-0"), "node-0");
  EXPECT_EQ(node_of("g-1"), "node-0");
  pass(30s);
  EXPECT_EQ(refusals, 3) << "and the numbers are tried again";
  EXPECT_EQ(annotation_of(get(kPods, "by-hand"), client::kGpusAnnotation), "0");
}

TEST_F(SchedulerTest, ItsOwnBindingsCountBeforeTheWatchBringsThem) {
  node("node-0", "{pods: 10, memory: 1Gi}");
  start();
  // Each bound pod is read back later than the next one comes.
  for (int i = 0; i < 5; ++i) {
    pod(fmt::format("p{}", i), "{memory: 600Mi}");
    api_.break_watches();
    pass(100ms);
  }
  pass(30s);
  int placed = 0;
  for (int i = 0; i < 5; ++i) placed += node_of(fmt::format("p{}", i)).empty() ? 0 : 1;
  EXPECT_EQ(placed, 1);
}

TEST_F(SchedulerTest, ANewSchedulerGoesOnWhereTheOldOneWas) {
  node("node-0", "{pods: 10, memory: 1Gi}");
  pod("p", "{memory: 1Gi}");
  pod("q", "{memory: 1Gi}");
  start();
  pass(10s);
  const std::size_t writes = api_.writes();
  loop_.run(scheduler_->stop());
  start();
  pass(10s);
  EXPECT_EQ(api_.writes(), writes) << "what was told is not told again";
  api_.erase(kPods, Key{"demo", "p"});
  pass(1s);
  EXPECT_EQ(node_of("q"), "node-0");
}

TEST_F(SchedulerTest, GatesAreSaidAsUsersKnowThem) {
  node("node-0", "{pods: 10}");
  pod("p", "{}", "", ", schedulingGates: [{name: example.com/wait}]");
  start();
  EXPECT_EQ(condition(get(kPods, "p"), "PodScheduled", "reason"), "SchedulingGated");
  EXPECT_TRUE(events("FailedScheduling").empty());
  ASSERT_TRUE(api_.user_patches(kPods, Key{"demo", "p"}, yaml("spec: {schedulingGates: null}")));
  pass(1s);
  EXPECT_EQ(node_of("p"), "node-0");
}

TEST_F(SchedulerTest, ClassesGiveGroupsTheirPriority) {
  const Resource classes{"scheduling.k8s.io", "v1", "priorityclasses"};
  api_.put(classes, yaml("{metadata: {name: urgent}, value: 1000}"));
  node("node-0", "{pods: 1}");
  pod("a", "{}", "", ", priority: 10");
  group("g", 1);
  ASSERT_TRUE(
      api_.user_patches(kPodGroups, Key{"demo", "g"}, yaml("spec: {priorityClassName: urgent}")));
  pod("g-0", "{}", "g");
  start();
  EXPECT_EQ(node_of("g-0"), "node-0");
  EXPECT_EQ(node_of("a"), "");
}

}  // namespace
}  // namespace trainyard::scheduler
