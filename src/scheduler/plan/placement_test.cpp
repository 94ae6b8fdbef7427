#include "scheduler/plan/placement.h"

#include "scheduler/plan/test_cluster.h"

#include <gtest/gtest.h>

#include <set>

namespace trainyard::scheduler {
namespace {

using Nodes = std::map<std::string, std::string>;

TEST(PlanPlacements, PlacesAWholeGangThatFits) {
  TestCluster world;
  world.node("a", "{memory: 8Gi}");
  world.gang("train", 4, "{memory: 2Gi}");
  EXPECT_EQ(world.placed().size(), 4U);
  EXPECT_TRUE(world.plan().waiting.empty());
}

TEST(PlanPlacements, NeverPlacesPartOfAGangAndTheNextOneMayUseTheRoom) {
  TestCluster world;
  world.node("a", "{memory: 8Gi}");
  world.gang("large", 5, "{memory: 2Gi}");
  world.gang("small", 2, "{memory: 4Gi}");
  EXPECT_EQ(world.placed(), (Nodes{{"small-0", "a"}, {"small-1", "a"}}));
  ASSERT_EQ(world.plan().waiting.size(), 1U);
  EXPECT_EQ(world.plan().waiting[0].pods.size(), 5U);
}

TEST(PlanPlacements, WaitsUntilAllMembersExist) {
  TestCluster world;
  world.node("a", "{memory: 8Gi}");
  world.gang("train", 3, "{}");
  world.group("train", 4);
  EXPECT_TRUE(world.placed().empty());
  const SchedulePlan plan = world.plan();
  EXPECT_EQ(plan.waiting[0].cause, Waiting::Cause::kIncomplete) << "no cause for a warning";
  EXPECT_EQ(plan.waiting[0].text(), "3 of the gang's 4 pods exist; it is placed when all do");
}

TEST(PlanPlacements, WaitsForTheGroupItself) {
  TestCluster world;
  world.node("a", "{memory: 8Gi}");
  world.pod("train-0", "{}", "metadata: {annotations: {scheduling.k8s.io/group-name: train}}");
  EXPECT_TRUE(world.placed().empty()) << "its PodGroup may only be late, and ask for more members";
  EXPECT_NE(world.said_to("train-0").find("PodGroup train does not exist"), std::string::npos);
}

TEST(PlanPlacements, AReplacedMemberJoinsItsPlacedGang) {
  TestCluster world;
  world.node("a", "{memory: 8Gi}");
  world.gang("train", 4, "{memory: 1Gi}");
  for (const char* name : {"train-0", "train-1", "train-2"}) {
    world.running(name, "{memory: 1Gi}", "a",
                  "metadata: {annotations: {scheduling.k8s.io/group-name: train}}");
  }
  EXPECT_EQ(world.placed(), (Nodes{{"train-3", "a"}}));
}

TEST(PlanPlacements, MoreThanTheMinimumJoinAsTheyFit) {
  TestCluster world;
  world.node("a", "{memory: 3Gi}");
  world.gang("train", 4, "{memory: 1Gi}");
  world.group("train", 2);
  EXPECT_EQ(world.placed().size(), 3U);
  ASSERT_EQ(world.plan().waiting.size(), 1U);
  EXPECT_EQ(world.plan().waiting[0].pods.size(), 1U);
}

TEST(PlanPlacements, APodAndAGroupOfOneNameAreTwoGangs) {
  TestCluster world;
  world.node("a", "{memory: 8Gi}");
  world.group("train", 2);
  world.pod("train", "{}");
  EXPECT_EQ(world.placed(), (Nodes{{"train", "a"}}));
}

TEST(PlanPlacements, CountsCpuOnlyWhenItMayNotBeOvercommitted) {
  TestCluster world;
  world.node("a", "{cpu: 2}");
  world.pod("p", "{cpu: 8}");
  EXPECT_EQ(world.placed().size(), 1U);
  world.rules.overcommit_cpu = false;
  EXPECT_EQ(world.said_to("p").find("0/1 nodes are available: 1 Insufficient cpu."), 0U)
      << world.said_to("p");
}

TEST(PlanPlacements, MemoryIsOvercommittedOnlyOnRequest) {
  TestCluster world;
  world.node("a", "{memory: 1Gi}");
  world.pod("p", "{memory: 2Gi}");
  EXPECT_TRUE(world.placed().empty());
  world.rules.overcommit_memory = true;
  EXPECT_EQ(world.placed().size(), 1U);
}

TEST(PlanPlacements, FillsTheFullestNodeFirst) {
  TestCluster world;
  world.node("a", "{memory: 8Gi}");
  world.node("b", "{memory: 8Gi}");
  world.running("other", "{memory: 5Gi}", "b");
  world.pod("p", "{memory: 2Gi}");
  EXPECT_EQ(world.placed(), (Nodes{{"p", "b"}}));
}

TEST(PlanPlacements, PutsAGangOnAsFewNodesAsPossible) {
  TestCluster world;
  world.node("a", "{nvidia.com/gpu: 2}");
  world.node("b", "{nvidia.com/gpu: 8}");
  world.node("c", "{nvidia.com/gpu: 4}");
  world.gang("train", 4, "{nvidia.com/gpu: 1}");
  for (const auto& [pod, node] : world.placed()) EXPECT_EQ(node, "c") << pod;
  world.gang("wide", 9, "{nvidia.com/gpu: 1}");
  std::set<std::string> used;
  for (const auto& [pod, node] : world.placed()) {
    if (pod.starts_with("wide")) used.insert(node);
  }
  EXPECT_EQ(used, (std::set<std::string>{"a", "b"})) << "the last one leaves the least room";
}

TEST(PlanPlacements, KeepsPodsWithoutGpusOffTheGpus) {
  TestCluster world;
  world.node("a", "{memory: 8Gi, nvidia.com/gpu: 2}");
  world.node("b", "{memory: 8Gi}");
  world.pod("p", "{memory: 1Gi}");
  EXPECT_EQ(world.placed(), (Nodes{{"p", "b"}}));
}

TEST(PlanPlacements, AMasterWithoutGpusGoesWhereItsWorkersAre) {
  TestCluster world;
  world.node("a", "{memory: 8Gi}");
  world.node("b", "{memory: 8Gi, nvidia.com/gpu: 2}");
  world.gang("train", 2, "{nvidia.com/gpu: 1}");
  world.group("train", 3);
  world.pod("train-master", "{memory: 1Gi}",
            "metadata: {annotations: {scheduling.k8s.io/group-name: train}}");
  EXPECT_EQ(world.placed(), (Nodes{{"train-0", "b"}, {"train-1", "b"}, {"train-master", "b"}}));
}

TEST(PlanPlacements, TheKindWithFewPlacesGoesFirst) {
  TestCluster world;
  world.node("a", "{memory: 2Gi}");
  world.node("b", "{memory: 2Gi}", "metadata: {labels: {disk: fast}}");
  world.gang("train", 1, "{memory: 2Gi}");
  world.group("train", 2);
  world.pod("train-z", "{memory: 2Gi}",
            "{metadata: {annotations: {scheduling.k8s.io/group-name: train}}, spec: {nodeSelector: "
            "{disk: fast}}}");
  EXPECT_EQ(world.placed(), (Nodes{{"train-0", "a"}, {"train-z", "b"}}));
}

TEST(PlanPlacements, HigherPriorityThenOlderThenName) {
  TestCluster world;
  world.node("a", "{memory: 1Gi}");
  world.pod("old", "{memory: 1Gi}");
  world.pod("new", "{memory: 1Gi}");
  EXPECT_EQ(world.placed(), (Nodes{{"old", "a"}}));
  world.pod("urgent", "{memory: 1Gi}", "spec: {priority: 10}");
  EXPECT_EQ(world.placed(), (Nodes{{"urgent", "a"}}));
}

TEST(PlanPlacements, AGroupsPriorityIsItsOwn) {
  TestCluster world;
  world.node("a", "{memory: 1Gi}");
  world.pod("pod", "{memory: 1Gi}", "spec: {priority: 10}");
  world.gang("train", 1, "{memory: 1Gi}");
  EXPECT_EQ(world.placed(), (Nodes{{"pod", "a"}}));
  world.group("train", 1, "metadata: {annotations: {trainyard.dev/priority: '50'}}");
  EXPECT_EQ(world.placed(), (Nodes{{"train-0", "a"}}));
}

TEST(PlanPlacements, FinishedPodsReleaseTheirRoom) {
  TestCluster world;
  world.node("a", "{memory: 1Gi}");
  world.running("before", "{memory: 1Gi}", "a");
  world.pod("p", "{memory: 1Gi}");
  EXPECT_TRUE(world.placed().empty());
  world.running("before", "{memory: 1Gi}", "a", "status: {phase: Succeeded}");
  EXPECT_EQ(world.placed(), (Nodes{{"p", "a"}}));
}

TEST(PlanPlacements, ANodeTakesNoMorePodsThanItSays) {
  TestCluster world;
  world.node("a", "{pods: 2}");
  for (const char* name : {"p", "q", "r"}) world.pod(name, "{}");
  EXPECT_EQ(world.placed().size(), 2U);
  EXPECT_EQ(world.said_to("r").find("0/1 nodes are available: 1 Too many pods."), 0U);
}

TEST(PlanPlacements, PodsOfOtherSchedulersAreLeftAlone) {
  TestCluster world;
  world.node("a", "{}");
  world.pod("p", "{}", "spec: {schedulerName: kueue}");
  world.pod("q", "{}", "spec: {schedulerName: volcano}");
  EXPECT_EQ(world.placed(), (Nodes{{"q", "a"}}));
  EXPECT_EQ(world.said_to("p"), "");
}

TEST(PlanPlacements, GatesHoldAPodAndItsGangBack) {
  TestCluster world;
  world.node("a", "{}");
  world.gang("train", 2, "{}");
  world.pod("train-1", "{}",
            "{metadata: {annotations: {scheduling.k8s.io/group-name: train}}, spec: "
            "{schedulingGates: [{name: example.com/wait}]}}");
  EXPECT_TRUE(world.placed().empty());
  EXPECT_EQ(world.said_to("train-1"), "Scheduling is blocked due to non-empty scheduling gates");
  EXPECT_NE(world.said_to("train-0").find("gates hold back"), std::string::npos);
}

TEST(PlanPlacements, NoTwoPodsGetTheSameGpu) {
  TestCluster world;
  world.node("a", "{nvidia.com/gpu: 4}");
  world.running("r", "{nvidia.com/gpu: 1}", "a",
                "metadata: {annotations: {trainyard.dev/gpus: '1'}}");
  world.pod("p", "{nvidia.com/gpu: 2}");
  world.pod("q", "{nvidia.com/gpu: 1}");
  const SchedulePlan plan = world.plan();
  ASSERT_EQ(plan.placed.size(), 2U);
  EXPECT_EQ(plan.placed[0].pods[0].gpus, (std::vector<int>{0, 2}));
  EXPECT_EQ(plan.placed[1].pods[0].gpus, (std::vector<int>{3}));
}

TEST(PlanPlacements, PodsThatCameWithTheirNodeGetTheirGpusNumberedFirst) {
  TestCluster world;
  world.node("a", "{nvidia.com/gpu: 4}");
  world.running("by-hand", "{nvidia.com/gpu: 2}", "a");
  world.running("too-many", "{nvidia.com/gpu: 2}", "b");
  world.pod("p", "{nvidia.com/gpu: 1}");
  const SchedulePlan plan = world.plan();
  ASSERT_EQ(plan.numbered.size(), 1U);
  EXPECT_EQ(plan.numbered[0].gpus, (std::vector<int>{0, 1}));
  EXPECT_EQ(plan.placed[0].pods[0].gpus, (std::vector<int>{2}));
}

TEST(PlanPlacements, APodThatCameWithItsNodeGetsAllItsGpusOrNone) {
  TestCluster world;
  world.node("a", "{nvidia.com/gpu: 4}");
  world.running("r", "{nvidia.com/gpu: 3}", "a",
                "metadata: {annotations: {trainyard.dev/gpus: '0,1,2'}}");
  world.running("by-hand", "{nvidia.com/gpu: 2}", "a");
  EXPECT_TRUE(world.plan().numbered.empty());
}

TEST(PlanPlacements, PreferencesComeBeforePacking) {
  TestCluster world;
  world.node("a", "{memory: 8Gi}", "spec: {taints: [{key: k, effect: PreferNoSchedule}]}");
  world.node("b", "{memory: 8Gi}");
  world.node("c", "{memory: 8Gi}", "metadata: {labels: {zone: near}}");
  world.running("other", "{memory: 6Gi}", "a");
  world.running("else", "{memory: 3Gi}", "b");
  const char* likes = R"(spec: {affinity: {nodeAffinity:
    {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 5, preference:
      {matchExpressions: [{key: zone, operator: In, values: [near]}]}}]}}})";
  world.pod("likes", "{memory: 1Gi}", likes);
  world.pod("plain", "{memory: 1Gi}");
  EXPECT_EQ(world.placed(), (Nodes{{"likes", "c"}, {"plain", "b"}}))
      << "a is fuller, and prefers to be left alone";
}

TEST(PlanPlacements, WhatCannotBeHonouredWaitsAndSaysSo) {
  TestCluster world;
  world.node("a", "{}");
  world.pod("p", "{}", "spec: {resourceClaims: [{name: gpu, resourceClaimName: mine}]}");
  EXPECT_TRUE(world.placed().empty());
  EXPECT_EQ(world.said_to("p"),
            "0/1 nodes are available. pod p asks for spec.resourceClaims, which this scheduler "
            "does not support: remove it.");
}

}  // namespace
}  // namespace trainyard::scheduler
