#include "workloads/apps/replica_set_plan.h"

#include "workloads/apps/ownership.h"
#include "workloads/apps/pods.h"

#include <gtest/gtest.h>

namespace trainyard::workloads {
namespace {

using namespace std::chrono_literals;

const WallTime kNow = *parse_time("2026-03-01T10:00:00Z");

ObjectPtr stored(Json body) {
  return std::make_shared<const StoredObject>(std::move(body), 1);
}

ObjectPtr set(std::int64_t replicas) {
  return stored(
      {{"metadata", {{"name", "s"}, {"namespace", "ns"}, {"uid", "set"}}},
       {"spec",
        {{"replicas", replicas}, {"template", {{"metadata", {{"labels", {{"app", "a"}}}}}}}}}});
}

Json pod(const std::string& name, const std::string& phase, bool ready,
         const std::string& since = "2026-03-01T09:00:00Z") {
  return {{"metadata", {{"name", name}, {"labels", {{"app", "a"}}}}},
          {"spec", {{"nodeName", phase == "Pending" ? "" : "node-1"}}},
          {"status",
           {{"phase", phase},
            {"conditions", JsonArray{{{"type", "Ready"},
                                      {"status", ready ? "True" : "False"},
                                      {"lastTransitionTime", since}}}}}}};
}

TEST(PlanReplicaSet, MakesWhatIsMissingAndDoesNotCountWhatHasEnded) {
  ReplicaSetView view{
      set(3), {stored(pod("a", "Running", true)), stored(pod("b", "Failed", false))}, kNow};
  EXPECT_EQ(plan_replica_set(view).create, 2);
}

TEST(PlanReplicaSet, RemovesThePodsThatAreTheLeastLoss) {
  Json cheap = pod("cheap", "Running", true);
  make_path(cheap,
            "metadata.annotations") = {{"controller.kubernetes.io/pod-deletion-cost", "-10"}};
  ReplicaSetView view{
      set(1),
      {stored(pod("old", "Running", true)), stored(cheap),
       stored(pod("young", "Running", true, "2026-03-01T09:59:00Z")),
       stored(pod("unready", "Running", false)), stored(pod("pending", "Pending", false))},
      kNow};
  const ReplicaSetPlan plan = plan_replica_set(view);
  std::vector<std::string> names;
  for (const ObjectPtr& removed : plan.remove) names.emplace_back(name_of(removed->body()));
  EXPECT_EQ(names, (std::vector<std::string>{"pending", "unready", "cheap", "young"}));
}

TEST(PlanReplicaSet, LeavesPodsToTheGarbageCollectorWhenItIsBeingDeleted) {
  Json deleted = set(3)->body();
  make_path(deleted, "metadata.deletionTimestamp") = "2026-03-01T10:00:00Z";
  EXPECT_EQ(plan_replica_set(ReplicaSetView{stored(deleted), {}, kNow}).create, 0);
}

TEST(PlanReplicaSet, MakesNoMoreThanABurstAtATime) {
  EXPECT_EQ(plan_replica_set(ReplicaSetView{set(10'000), {}, kNow}).create, kBurst);
}

TEST(PlanReplicaSet, MakesNoMoreWhileABurstWaitsForAPlace) {
  ReplicaSetView view{set(2'000'000'000), {}, kNow};
  for (int i = 0; i < 400; ++i) view.pods.push_back(stored(pod("waits", "Pending", false)));
  for (int i = 0; i < 300; ++i) view.pods.push_back(stored(pod("runs", "Running", true)));
  EXPECT_EQ(plan_replica_set(view).create, kBurst - 400);
  for (int i = 0; i < 200; ++i) view.pods.push_back(stored(pod("waits", "Pending", false)));
  EXPECT_EQ(plan_replica_set(view).create, 0);
}

TEST(ReplicaSetStatus, CountsAvailablePodsAndKnowsWhenToLookAgain) {
  Json patient = set(2)->body();
  make_path(patient, "spec.minReadySeconds") = 60;
  ReplicaSetView view{stored(patient),
                      {stored(pod("a", "Running", true)),
                       stored(pod("b", "Running", true, "2026-03-01T09:59:45Z"))},
                      kNow};
  const ReplicaSetStatus result = replica_set_status(view, std::nullopt);
  EXPECT_EQ(int_at(result.status, "readyReplicas"), 2);
  EXPECT_EQ(int_at(result.status, "availableReplicas"), 1);
  EXPECT_EQ(int_at(result.status, "fullyLabeledReplicas"), 2);
  EXPECT_EQ(result.look_again, 45s);
}

TEST(SelectorText, WritesEveryOperator) {
  const Json selector{
      {"matchLabels", {{"app", "a"}}},
      {"matchExpressions",
       JsonArray{{{"key", "tier"}, {"operator", "In"}, {"values", JsonArray{"x", "y"}}},
                 {{"key", "env"}, {"operator", "NotIn"}, {"values", JsonArray{"z"}}},
                 {{"key", "gpu"}, {"operator", "Exists"}},
                 {{"key", "old"}, {"operator", "DoesNotExist"}}}}};
  EXPECT_EQ(*selector_text(selector), "app=a,tier in (x,y),env notin (z),gpu,!old");
}

}  // namespace
}  // namespace trainyard::workloads
