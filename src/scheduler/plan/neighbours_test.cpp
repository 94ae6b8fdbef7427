#include "scheduler/plan/neighbours.h"

#include "scheduler/plan/test_cluster.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

namespace trainyard::scheduler {
namespace {

using Nodes = std::map<std::string, std::string>;

/// A pod's YAML with a required term towards pods of an app, and its own app.
std::string term(const char* kind, const char* app, const char* own_app,
                 const char* topology = "kubernetes.io/hostname", const char* more = "") {
  return fmt::format(
      "{{metadata: {{labels: {{app: {}}}}}, spec: {{affinity: {{{}: "
      "{{requiredDuringSchedulingIgnoredDuringExecution: [{{topologyKey: {}, labelSelector: "
      "{{matchLabels: {{app: {}}}}}{}}}]}}}}}}}}",
      own_app, kind, topology, app, more);
}

std::string labelled(const char* app) {
  return fmt::format("metadata: {{labels: {{app: {}}}}}", app);
}

TestCluster two_zones() {
  TestCluster world;
  world.node("a1", "{memory: 8Gi}", "metadata: {labels: {zone: a}}");
  world.node("a2", "{memory: 8Gi}", "metadata: {labels: {zone: a}}");
  world.node("b1", "{memory: 8Gi}", "metadata: {labels: {zone: b}}");
  return world;
}

TEST(PodAffinity, GoesToTheOthersDomain) {
  TestCluster world = two_zones();
  world.running("db", "{memory: 8Gi}", "b1", labelled("db"));
  world.running("other", "{memory: 8Gi}", "a1", labelled("db2"));
  world.pod("p", "{memory: 1Gi}", term("podAffinity", "db", "web", "zone"));
  EXPECT_TRUE(world.placed().empty()) << "b1 is full";
  EXPECT_EQ(world.said_to("p").find("0/3 nodes are available: 1 node(s) didn't match pod affinity "
                                    "rules, 2 Insufficient memory."),
            0U)
      << world.said_to("p");
  world.running("db", "{memory: 8Gi}", "a1", labelled("db"));
  EXPECT_EQ(world.placed(), (Nodes{{"p", "a2"}}));
}

TEST(PodAffinity, TheFirstOfItsKindMayBegin) {
  TestCluster world = two_zones();
  world.gang("train", 3, "{memory: 4Gi}", term("podAffinity", "train", "train", "zone"));
  std::set<std::string> zones;
  for (const auto& [pod, node] : world.placed()) zones.insert(node.substr(0, 1));
  EXPECT_EQ(world.placed().size(), 3U);
  EXPECT_EQ(zones.size(), 1U);
}

TEST(PodAffinity, WaitsForWhoItMeans) {
  TestCluster world = two_zones();
  world.pod("p", "{}", term("podAffinity", "db", "web"));
  EXPECT_EQ(world.said_to("p"),
            "0/3 nodes are available: 3 node(s) didn't match pod affinity rules. pod p waits for a "
            "pod with app=db to be placed within reach (the same kubernetes.io/hostname).");
}

TEST(PodAntiAffinity, KeepsAGangApart) {
  TestCluster world = two_zones();
  world.gang("train", 3, "{}", term("podAntiAffinity", "train", "train"));
  std::set<std::string> used;
  for (const auto& [pod, node] : world.placed()) used.insert(node);
  EXPECT_EQ(used.size(), 3U);
  world.gang("more", 2, "{}", term("podAntiAffinity", "more", "more", "zone"));
  world.gang("many", 3, "{}", term("podAntiAffinity", "many", "many", "zone"));
  EXPECT_EQ(world.placed().size(), 5U) << "two zones take two, not three";
  EXPECT_NE(world.said_to("many-0").find("didn't match pod anti-affinity rules"),
            std::string::npos);
}

TEST(PodAntiAffinity, IsMutual) {
  TestCluster world;
  world.node("a", "{}");
  world.running("loner", "{}", "a", term("podAntiAffinity", "web", "x"));
  world.pod("web", "{}", labelled("web"));
  world.pod("other", "{}", labelled("other"));
  EXPECT_EQ(world.placed(), (Nodes{{"other", "a"}}));
  EXPECT_EQ(world.said_to("web").find("0/1 nodes are available: 1 node(s) didn't satisfy existing "
                                      "pods anti-affinity rules."),
            0U)
      << world.said_to("web");
}

TEST(PodAntiAffinity, HoldsAmongPodsOfOnePlan) {
  TestCluster world;
  world.node("a", "{}");
  world.node("b", "{}");
  world.pod("loner", "{}", term("podAntiAffinity", "web", "x"));
  world.pod("web", "{}", labelled("web"));
  const Nodes placed = world.placed();
  ASSERT_EQ(placed.size(), 2U);
  EXPECT_NE(placed.at("loner"), placed.at("web"));
}

TEST(PodAffinity, NamespacesCount) {
  TestCluster world;
  world.node("a", "{}");
  world.running("db", "{}", "a", "metadata: {namespace: other, labels: {app: db}}");
  world.pod("p", "{}", term("podAffinity", "db", "web"));
  EXPECT_TRUE(world.placed().empty());
  world.pod("p", "{}",
            term("podAffinity", "db", "web", "kubernetes.io/hostname", ", namespaces: [other]"));
  EXPECT_EQ(world.placed().size(), 1U);
  world.pod("p", "{}",
            term("podAffinity", "db", "web", "kubernetes.io/hostname", ", namespaceSelector: {}"));
  EXPECT_EQ(world.placed().size(), 1U);
  world.pod("p", "{}",
            term("podAffinity", "db", "web", "kubernetes.io/hostname",
                 ", namespaceSelector: {matchLabels: {team: x}}"));
  EXPECT_NE(world.said_to("p").find("does not support"), std::string::npos);
}

std::string spread(int skew, const char* topology, const char* when, const char* more = "") {
  return fmt::format(
      "{{metadata: {{labels: {{app: web}}}}, spec: {{topologySpreadConstraints: [{{maxSkew: {}, "
      "topologyKey: {}, whenUnsatisfiable: {}, labelSelector: {{matchLabels: {{app: "
      "web}}}}{}}}]}}}}",
      skew, topology, when, more);
}

TEST(TopologySpread, SpreadsEvenly) {
  TestCluster world = two_zones();
  world.gang("web", 4, "{}", spread(1, "zone", "DoNotSchedule"));
  std::map<char, int> zones;
  for (const auto& [pod, node] : world.placed()) ++zones[node[0]];
  EXPECT_EQ(zones, (std::map<char, int>{{'a', 2}, {'b', 2}}));
}

TEST(TopologySpread, WaitsWhereItCannotBeKept) {
  TestCluster world = two_zones();
  world.running("full", "{memory: 8Gi}", "b1");
  world.gang("web", 3, "{memory: 1Gi}", spread(1, "zone", "DoNotSchedule"));
  EXPECT_TRUE(world.placed().empty()) << "zone b takes none, so a takes one";
  EXPECT_NE(world.said_to("web-0").find("maxSkew 1"), std::string::npos) << world.said_to("web-0");
  world.gang("web", 3, "{memory: 1Gi}", spread(1, "zone", "ScheduleAnyway"));
  EXPECT_EQ(world.placed().size(), 3U);
}

TEST(TopologySpread, NeedsEnoughDomains) {
  TestCluster world = two_zones();
  world.gang("web", 2, "{}", spread(1, "zone", "DoNotSchedule", ", minDomains: 3"));
  EXPECT_EQ(world.placed().size(), 2U);
  world.gang("web", 4, "{}", spread(1, "zone", "DoNotSchedule", ", minDomains: 3"));
  EXPECT_TRUE(world.placed().empty()) << "with a third, empty zone two more would be too many";
}

}  // namespace
}  // namespace trainyard::scheduler
