// Elastic jobs: T9k's contract, section 1.6.
#include "jobs/elastic.h"

#include "jobs/engine/test_world.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace trainyard::jobs {
namespace {

World elastic(int least, int most, int wish, const std::string& torchrun = "{enabled: true}") {
  World world(fmt::format(R"(
torchrunConfig: {}
elastic: {{enabled: true, minReplicas: {}, maxReplicas: {}, expectedReplicas: {}}}
replicaSpecs:
- {{type: node, replicas: 2, template: {{spec: {{containers: [{{name: main, args: [fit.py]}}]}}}}}}
)",
                          torchrun, least, most, wish));
  world.settle();
  return world;
}

void set_wish(World& world, int wish) {
  make_path(world.job, "spec.elastic.expectedReplicas") = wish;
}

using Counts = std::vector<std::int64_t>;

TEST(Elastic, ReplicasAreDividedByWeightRoundingDownAndTheRestGoesToTheFirst) {
  EXPECT_EQ(divide_replicas(7, {1, 1}), (Counts{4, 3}));
  EXPECT_EQ(divide_replicas(10, {1, 3}), (Counts{3, 7}));
  EXPECT_EQ(divide_replicas(4, {2}), (Counts{4}));
  EXPECT_EQ(divide_replicas(3, {0, 0}), (Counts{3, 0}));
}

TEST(Elastic, TheFirstReplicaOfTheFirstTypeNeverGoes) {
  EXPECT_EQ(divide_replicas(4, {0, 1}), (Counts{1, 3}));
  EXPECT_EQ(divide_replicas(1, {0, 1}), (Counts{1, 0}));
}

TEST(Elastic, TheWishDecidesHowManyPodsThereAre) {
  World world = elastic(1, 4, 3);
  EXPECT_EQ(world.pods.size(), 3U);
}

TEST(Elastic, WithoutAWishTheReplicasAreTaken) {
  World world = elastic(1, 4, 3);
  find(world.job, "spec.elastic")->get_object().erase("expectedReplicas");
  world.settle();
  world.finish_deletions();
  world.settle();
  EXPECT_EQ(world.pods.size(), 2U);
}

TEST(Elastic, TorchrunIsToldTheBounds) {
  World world = elastic(2, 5, 3);
  const std::string command =
      to_text(array_at(array_at(world.pod("node-0"), "spec.containers")[0], "command"));
  EXPECT_NE(command.find(R"("--nnodes","2:5")"), std::string::npos) << command;
}

TEST(Elastic, TheGroupNeedsTheLeastOnly) {
  World world(R"(
torchrunConfig: {enabled: true}
elastic: {enabled: true, minReplicas: 2, maxReplicas: 5, expectedReplicas: 4}
replicaSpecs: [{type: node, template: {spec: {containers: [{name: main, args: [fit.py]}]}}}]
)");
  EXPECT_EQ(int_at(*world.plan().create_pod_group, "spec.minMember"), 2);
}

TEST(Elastic, RunsWhenTheLeastRun) {
  World world = elastic(2, 5, 3);
  world.set_phase("node-0", "Running");
  world.settle();
  EXPECT_EQ(world.phase(), "Pending");
  world.set_phase("node-1", "Running");
  world.settle();
  EXPECT_EQ(world.phase(), "Running");
}

TEST(Elastic, GrowsAndShrinksWhileItRuns) {
  World world = elastic(1, 4, 2);
  world.set_all_phases("Running");
  world.settle();
  const std::string master(uid_of(world.pod("node-0")));
  set_wish(world, 4);
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(world.pods.size(), 4U);
  EXPECT_EQ(world.phase(), "Running");
  world.set_all_phases("Running");
  world.settle();
  set_wish(world, 1);
  const JobPlan plan = world.plan();
  ASSERT_EQ(plan.remove_pods.size(), 3U);
  EXPECT_EQ(plan.remove_pods[0].name, world.pod_name("node-3")) << "the highest index first";
  world.apply(plan);
  world.finish_deletions();
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(world.pods.size(), 1U);
  EXPECT_EQ(uid_of(world.pod("node-0")), master);
  EXPECT_EQ(array_at(array_at(world.status(), "tasks")[0], "replicas").size(), 1U);
  EXPECT_EQ(world.phase(), "Running");
}

TEST(Elastic, RestartsOfReplicasThatAreNoMoreStillCount) {
  World world = elastic(1, 3, 3);
  world.set_all_phases("Running");
  world.settle();
  world.end_pod("node-2", 1);
  world.settle();
  ASSERT_EQ(world.backoff(), 1);
  set_wish(world, 1);
  world.settle();
  world.finish_deletions();
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(world.backoff(), 1);
  set_wish(world, 3);
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(world.backoff(), 1);
}

TEST(Elastic, APodThatEndsBecauseItIsScaledAwayHasNotFailed) {
  World world = elastic(1, 3, 2);
  world.set_all_phases("Running");
  world.settle();
  set_wish(world, 1);
  world.settle();
  world.end_pod("node-1", 143);
  world.settle();
  world.finish_deletions();
  world.settle();
  EXPECT_TRUE(world.told("ReplicaFailed").empty());
  EXPECT_EQ(world.backoff(), 0);
}

TEST(Elastic, HasAnEffectOnlyWithTorchrun) {
  World world = elastic(1, 4, 4, "{}");
  EXPECT_EQ(world.pods.size(), 2U);
  EXPECT_EQ(elastic(1, 4, 4, "{enable: true}").pods.size(), 4U) << "the older spelling";
}

}  // namespace
}  // namespace trainyard::jobs
