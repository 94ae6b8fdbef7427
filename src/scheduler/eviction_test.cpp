#include "base/fake_clock.h"
#include "base/log.h"
#include "base/test_loop.h"
#include "client/fake_api.h"
#include "object/yaml/yaml.h"
#include "scheduler/driver.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace trainyard::scheduler {
namespace {

using namespace std::chrono_literals;

Json yaml(const std::string& text) {
  return parse_yaml(text)->front();
}

/// Pods that run on a node, and what becomes of them.
class EvictionTest : public testing::Test {
 protected:
  EvictionTest()
      : clock_(loop_.executor()),
        api_(loop_.executor(), clock_),
        scheduler_(loop_.executor(), api_, clock_) {
    set_log_level(LogLevel::kError);
    api_.put(kNodes,
             yaml("{apiVersion: v1, kind: Node, metadata: {name: node-0}, spec: {}, status: "
                  "{allocatable: {pods: 9}, conditions: [{type: Ready, status: 'True'}]}}"));
    running("plain", "");
    running("patient", "{key: gone, operator: Exists, effect: NoExecute, tolerationSeconds: 30}");
    running("stoic", "{operator: Exists}");
    scheduler_.start();
    pass(1s);
  }
  ~EvictionTest() override { loop_.run(scheduler_.stop()); }

  void running(const std::string& name, const std::string& toleration) {
    api_.put(kPods,
             yaml(fmt::format("{{apiVersion: v1, kind: Pod, metadata: {{name: {}, namespace: "
                              "demo}}, spec: {{nodeName: node-0, containers: [], "
                              "tolerations: [{}]}}, status: {{phase: Running}}}}",
                              name, toleration)));
  }
  void pass(std::chrono::milliseconds span) {
    loop_.run_ready();
    for (auto passed = 0ms; passed < span; passed += 500ms) {
      clock_.advance(500ms);
      loop_.run_ready();
    }
  }
  /// The pods that run on.
  std::string left() {
    std::string names;
    for (const ObjectPtr& pod : api_.all(kPods)) {
      if (!is_being_deleted(pod->body())) names += fmt::format("{} ", name_of(pod->body()));
    }
    return names;
  }
  void taint(const std::string& taints) {
    ASSERT_TRUE(
        api_.user_patches(kNodes, Key{"", "node-0"}, yaml("spec: {taints: " + taints + "}")));
    pass(1s);
  }

  TestLoop loop_;
  FakeClock clock_;
  client::FakeApi api_;
  Scheduler scheduler_;
};

TEST_F(EvictionTest, EndsWhatDoesNotTolerateATaint) {
  EXPECT_EQ(left(), "patient plain stoic ");
  taint("[{key: gone, effect: NoExecute}]");
  EXPECT_EQ(left(), "patient stoic ");
  pass(35s);
  EXPECT_EQ(left(), "stoic ");
}

TEST_F(EvictionTest, ATaintThatGoesAgainEndsNothingMore) {
  taint("[{key: gone, effect: NoExecute}]");
  pass(20s);
  taint("[]");
  pass(60s);
  EXPECT_EQ(left(), "patient stoic ");
}

TEST_F(EvictionTest, OtherTaintsConcernNewPodsOnly) {
  taint("[{key: gone, effect: NoSchedule}]");
  pass(60s);
  EXPECT_EQ(left(), "patient plain stoic ");
}

TEST_F(EvictionTest, PodsOfADeletedNodeGoAfterAWhile) {
  running("done", "");
  api_.put(kPods, yaml("{apiVersion: v1, kind: Pod, metadata: {name: done, namespace: demo}, spec: "
                       "{nodeName: node-0, containers: []}, status: {phase: Succeeded}}"));
  api_.erase(kNodes, Key{"", "node-0"});
  pass(30s);
  EXPECT_EQ(left(), "done patient plain stoic ") << "it may come back";
  pass(15s);
  EXPECT_EQ(left(), "done ") << "what has ended there harms nobody";
}

}  // namespace
}  // namespace trainyard::scheduler
