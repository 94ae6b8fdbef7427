#include "scheduler/plan/suitability.h"

#include "scheduler/plan/eviction_time.h"
#include "scheduler/plan/test_cluster.h"

#include <gtest/gtest.h>

namespace trainyard::scheduler {
namespace {

Requirement requirement(const char* key, Requirement::Operator op,
                        std::vector<std::string> values = {}) {
  return Requirement{key, op, std::move(values)};
}

TEST(Requirement, EveryOperator) {
  using Op = Requirement::Operator;
  const JsonObject labels{{"zone", "a"}, {"rank", "7"}, {"word", "x7"}};
  EXPECT_TRUE(holds(requirement("zone", Op::kIn, {"b", "a"}), labels));
  EXPECT_FALSE(holds(requirement("zone", Op::kIn, {"b"}), labels));
  EXPECT_FALSE(holds(requirement("none", Op::kIn, {""}), labels));
  EXPECT_FALSE(holds(requirement("zone", Op::kNotIn, {"a"}), labels));
  EXPECT_TRUE(holds(requirement("none", Op::kNotIn, {"a"}), labels));
  EXPECT_TRUE(holds(requirement("zone", Op::kExists), labels));
  EXPECT_FALSE(holds(requirement("none", Op::kExists), labels));
  EXPECT_TRUE(holds(requirement("none", Op::kDoesNotExist), labels));
  EXPECT_TRUE(holds(requirement("rank", Op::kGreater, {"6"}), labels));
  EXPECT_FALSE(holds(requirement("rank", Op::kGreater, {"7"}), labels));
  EXPECT_TRUE(holds(requirement("rank", Op::kLess, {"8"}), labels));
  EXPECT_FALSE(holds(requirement("word", Op::kGreater, {"0"}), labels));
  EXPECT_FALSE(holds(requirement("none", Op::kLess, {"8"}), labels));
}

TEST(Tolerates, ByKeyValueAndEffect) {
  const Taint taint{"only", "gpu", Effect::kNoSchedule};
  EXPECT_TRUE(tolerates(Toleration{"only", false, "gpu", {}, {}}, taint));
  EXPECT_FALSE(tolerates(Toleration{"only", false, "cpu", {}, {}}, taint));
  EXPECT_TRUE(tolerates(Toleration{"only", true, "", {}, {}}, taint));
  EXPECT_TRUE(tolerates(Toleration{"", true, "", {}, {}}, taint)) << "tolerates everything";
  EXPECT_FALSE(tolerates(Toleration{"", false, "", {}, {}}, taint));
  EXPECT_TRUE(tolerates(Toleration{"only", true, "", Effect::kNoSchedule, {}}, taint));
  EXPECT_FALSE(tolerates(Toleration{"only", true, "", Effect::kNoExecute, {}}, taint));
}

/// Whether a pod of that spec may go to the node.
bool goes(const char* node, const char* spec) {
  TestCluster world;
  world.node("n", "{memory: 8Gi}", node);
  world.pod("p", "{}", std::string("spec: ") + spec);
  return !world.placed().empty();
}

TEST(CheckNode, Cordons) {
  EXPECT_FALSE(goes("spec: {unschedulable: true}", "{}"));
  EXPECT_TRUE(goes("spec: {unschedulable: true}",
                   "{tolerations: [{key: node.kubernetes.io/unschedulable, operator: Exists}]}"));
}

TEST(CheckNode, Taints) {
  const char* tainted = "spec: {taints: [{key: only, value: gpu, effect: NoSchedule}]}";
  EXPECT_FALSE(goes(tainted, "{}"));
  EXPECT_TRUE(goes(tainted, "{tolerations: [{key: only, value: gpu, effect: NoSchedule}]}"));
  EXPECT_FALSE(goes("spec: {taints: [{key: k, effect: NoExecute}]}", "{}"));
  EXPECT_TRUE(goes("spec: {taints: [{key: k, effect: PreferNoSchedule}]}", "{}"));
}

TEST(CheckNode, NodesThatAreNotReady) {
  EXPECT_FALSE(goes("status: {conditions: [{type: Ready, status: 'False'}]}", "{}"));
  EXPECT_FALSE(goes("status: {conditions: []}", "{}"));
}

TEST(CheckNode, SelectorsAndAffinity) {
  const char* fast = "metadata: {labels: {disk: fast, size: '5'}}";
  EXPECT_TRUE(goes(fast, "{nodeSelector: {disk: fast}}"));
  EXPECT_FALSE(goes(fast, "{nodeSelector: {disk: slow}}"));
  const auto affinity = [&](const std::string& terms) {
    const std::string spec =
        "{affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
        "{nodeSelectorTerms: [" +
        terms + "]}}}}";
    return goes(fast, spec.c_str());
  };
  EXPECT_TRUE(affinity("{matchExpressions: [{key: disk, operator: In, values: [fast]}]}"));
  EXPECT_FALSE(affinity("{matchExpressions: [{key: disk, operator: NotIn, values: [fast]}]}"));
  EXPECT_TRUE(affinity("{matchExpressions: [{key: size, operator: Gt, values: ['4']}]}"));
  EXPECT_FALSE(
      affinity("{matchExpressions: [{key: disk, operator: Exists}, {key: size, operator: "
               "Lt, values: ['4']}]}"))
      << "all of a term must hold";
  EXPECT_TRUE(
      affinity("{matchExpressions: [{key: no, operator: Exists}]}, {matchExpressions: "
               "[{key: disk, operator: Exists}]}"))
      << "one term is enough";
  EXPECT_TRUE(affinity("{matchFields: [{key: metadata.name, operator: In, values: ['n']}]}"));
  EXPECT_FALSE(affinity("{matchFields: [{key: metadata.name, operator: In, values: [m]}]}"));
  EXPECT_FALSE(affinity("{}")) << "an empty term matches nothing";
}

TEST(TimeToStay, IsTheShortestThatATolerationGives) {
  using std::chrono::seconds;
  NodeView node;
  Needs needs;
  EXPECT_EQ(time_to_stay(node, needs), std::nullopt);
  node.taints = {Taint{"a", "", Effect::kNoExecute}, Taint{"b", "", Effect::kNoSchedule}};
  EXPECT_EQ(time_to_stay(node, needs), seconds(0));
  needs.tolerations = {Toleration{"a", true, "", {}, {}}};
  EXPECT_EQ(time_to_stay(node, needs), std::nullopt) << "for ever";
  needs.tolerations = {Toleration{"a", true, "", {}, seconds(60)},
                       Toleration{"a", true, "", {}, seconds(20)}};
  EXPECT_EQ(time_to_stay(node, needs), seconds(20));
  node.taints.push_back(Taint{"c", "", Effect::kNoExecute});
  EXPECT_EQ(time_to_stay(node, needs), seconds(0));
}

}  // namespace
}  // namespace trainyard::scheduler
