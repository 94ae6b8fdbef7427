#include "scheduler/plan/placement.h"

#include <gtest/gtest.h>

namespace trainyard::scheduler {
namespace {

Quantity q(const char* text) {
  return *Quantity::parse(std::string_view(text));
}

NodeView node(const std::string& name, const char* memory) {
  return {name, {{"cpu", q("2")}, {"memory", q(memory)}, {"pods", q("100")}}, {}};
}

GangView gang(const std::string& name, int members, const char* memory) {
  GangView view;
  view.key = {"default", name};
  view.min_members = members;
  for (int i = 0; i < members; ++i) {
    view.pending.push_back(
        {{"default", name + "-" + std::to_string(i)}, {{"memory", q(memory)}, {"cpu", q("8")}}});
  }
  return view;
}

TEST(PlanPlacements, PlacesAWholeGangThatFits) {
  ClusterView view;
  view.nodes = {node("a", "8Gi")};
  view.gangs = {gang("train", 4, "2Gi")};
  const SchedulePlan plan = plan_placements(view);
  ASSERT_EQ(plan.placed.size(), 1U);
  EXPECT_EQ(plan.placed[0].pods.size(), 4U);
  EXPECT_TRUE(plan.waiting.empty());
}

TEST(PlanPlacements, NeverPlacesPartOfAGangAndTheNextOneMayUseTheRoom) {
  ClusterView view;
  view.nodes = {node("a", "8Gi")};
  view.gangs = {gang("large", 5, "2Gi"), gang("small", 2, "4Gi")};
  const SchedulePlan plan = plan_placements(view);
  ASSERT_EQ(plan.placed.size(), 1U);
  EXPECT_EQ(plan.placed[0].gang.name, "small");
  ASSERT_EQ(plan.waiting.size(), 1U);
  EXPECT_EQ(plan.waiting[0].pods.size(), 5U);
  EXPECT_EQ(plan.waiting[0].reason,
            "the gang asks for 10.0Gi of memory, and node a has 8.0Gi free of 8.0Gi: it can never "
            "fit; ask for less or use fewer replicas");
}

TEST(PlanPlacements, WaitsUntilAllMembersExist) {
  ClusterView view;
  view.nodes = {node("a", "8Gi")};
  view.gangs = {gang("train", 3, "1Gi")};
  view.gangs[0].min_members = 4;
  const SchedulePlan plan = plan_placements(view);
  EXPECT_TRUE(plan.placed.empty());
  EXPECT_TRUE(plan.waiting[0].incomplete) << "which is no cause for a warning";
  EXPECT_EQ(plan.waiting[0].reason, "3 of the gang's 4 pods exist; it is placed when all do");
}

TEST(PlanPlacements, AReplacedMemberJoinsItsPlacedGang) {
  ClusterView view;
  view.nodes = {node("a", "8Gi")};
  view.gangs = {gang("train", 1, "1Gi")};
  view.gangs[0].min_members = 4;
  view.gangs[0].placed = 3;
  EXPECT_EQ(plan_placements(view).placed.size(), 1U);
}

TEST(PlanPlacements, CountsCpuOnlyWhenItMayNotBeOvercommitted) {
  ClusterView view;
  view.nodes = {node("a", "8Gi")};
  view.gangs = {gang("train", 1, "1Gi")};
  EXPECT_EQ(plan_placements(view).placed.size(), 1U);
  view.overcommit_cpu = false;
  EXPECT_EQ(plan_placements(view).waiting[0].reason,
            "the gang asks for 8 of cpu, and node a has 2 free of 2: it can never fit; ask for "
            "less or use fewer replicas");
}

TEST(PlanPlacements, FillsTheFullerNodeFirst) {
  ClusterView view;
  view.nodes = {node("a", "8Gi"), node("b", "8Gi")};
  view.nodes[1].used["memory"] = q("5Gi");
  view.gangs = {gang("train", 1, "2Gi")};
  EXPECT_EQ(plan_placements(view).placed[0].pods[0].node, "b");
}

}  // namespace
}  // namespace trainyard::scheduler
