// Which ended pods are replaced, and how that is counted: T9k's contract, section 1.2.
#include "jobs/engine/plan/plan.h"
#include "jobs/engine/test_world.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace trainyard::jobs {
namespace {

/// A master that never ends by itself, and two workers under a policy; all run.
World running(const std::string& policy, int backoff_limit = 3) {
  World world = World::with_groups(
      {"{type: master}", fmt::format("{{type: worker, replicas: 2, restartPolicy: {}}}", policy)},
      fmt::format("{{backoffLimit: {}}}", backoff_limit));
  world.settle();
  world.set_all_phases("Running");
  world.settle();
  return world;
}

/// A pod ends, and its replacement (if there is one) runs.
void end_and_go_on(World& world, const std::string& pod, std::int64_t code) {
  world.end_pod(pod, code);
  world.settle();
  if (world.has_pod(pod) && string_at(world.pod(pod), "status.phase") == "Pending") {
    world.set_phase(pod, "Running");
  }
  world.settle();
}

TEST(PlanRestart, ReplacesAPodAccordingToPolicyAndExitCode) {
  struct Case {
    const char* policy;
    std::int64_t code;
    bool replaced;
  };
  const Case cases[] = {
      {"Never", 0, false},      {"Never", 1, false},      {"Never", 137, false},
      {"OnFailure", 0, false},  {"OnFailure", 1, true},   {"OnFailure", 137, true},
      {"Always", 0, true},      {"Always", 1, true},      {"ExitCode", 0, false},
      {"ExitCode", 1, false},   {"ExitCode", 2, false},   {"ExitCode", 127, false},
      {"ExitCode", 129, false}, {"ExitCode", 130, true},  {"ExitCode", 137, true},
      {"ExitCode", 138, true},  {"ExitCode", 139, false}, {"ExitCode", 143, true},
  };
  for (const Case& expected : cases) {
    SCOPED_TRACE(fmt::format("{} after exit code {}", expected.policy, expected.code));
    World world = running(expected.policy);
    const std::string before(uid_of(world.pod("worker-0")));
    world.end_pod("worker-0", expected.code);
    ASSERT_TRUE(world.settle());
    EXPECT_EQ(uid_of(world.pod("worker-0")) != before, expected.replaced);
    EXPECT_EQ(world.backoff(), expected.replaced ? 1 : 0);
    EXPECT_EQ(int_at(array_at(world.status(), "tasks")[1], "restartCount"),
              expected.replaced ? 1 : 0);
    EXPECT_EQ(world.phase(), "Running");
  }
}

TEST(PlanRestart, AReplacementKeepsNameLabelsAndEnvironment) {
  World world = running("OnFailure");
  const Json before = world.pod("worker-1");
  world.end_pod("worker-1", 1);
  world.settle();
  const Json& after = world.pod("worker-1");
  EXPECT_EQ(to_text(after.at("spec")), to_text(before.at("spec")));
  EXPECT_EQ(to_text(after.at("metadata").at("labels")),
            to_text(before.at("metadata").at("labels")));
}

TEST(PlanRestart, AFailureIsToldAndForgottenWhenTheReplacementRuns) {
  World world = running("OnFailure");
  world.end_pod("worker-1", 42);
  world.settle();
  const std::string message =
      "Pod[mnist-40c14-worker-1] exited with error code 42 at 2026-03-01T10:00:00Z";
  EXPECT_EQ(world.condition("ReplicaFailure"), "True (ErrorInPod: " + message + ")");
  EXPECT_EQ(world.told("ReplicaFailed"), std::vector<std::string>{message});
  EXPECT_EQ(world.told("NewReplica").back(),
            "Create the replica[mnist-40c14-worker-1] again (restart 1).");
  world.set_phase("worker-1", "Running");
  world.settle();
  EXPECT_EQ(world.condition("ReplicaFailure"), "False (-: All pods are running normally.)");
  EXPECT_EQ(world.told("Running").size(), 1U) << "the job began running only once";
}

TEST(PlanRestart, AReplacementThatCannotBePlacedIsToldOf) {
  World world = running("OnFailure");
  world.end_pod("worker-1", 42);
  world.settle();
  make_path(world.pods.at(world.pod_name("worker-1")), "status.conditions") = JsonArray{
      {{"type", "PodScheduled"}, {"status", "False"}, {"message", "needs 4 × nvidia.com/gpu"}}};
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(world.condition("ReplicaFailure"),
            "True (Unschedulable: Pod[mnist-40c14-worker-1] exited with error code 42; its "
            "replacement does not run yet: needs 4 × nvidia.com/gpu)");
  world.set_phase("worker-1", "Running");
  world.settle();
  EXPECT_EQ(world.condition("ReplicaFailure"), "False (-: All pods are running normally.)");
}

TEST(PlanRestart, AFailureIsCountedOnceWhereverTheControllerCrashes) {
  // Every crash point in the three plans that a replacement takes: note, remove, create.
  for (int plans = 0; plans < 3; ++plans) {
    for (std::size_t steps = 0; steps < 4; ++steps) {
      SCOPED_TRACE(fmt::format("crash in plan {} after {} steps", plans, steps));
      World world = running("OnFailure");
      world.end_pod("worker-0", 1);
      for (int done = 0; done < plans; ++done) world.apply(world.plan());
      world.apply(world.plan(), steps);
      ASSERT_TRUE(world.settle());
      EXPECT_EQ(world.backoff(), 1);
      EXPECT_EQ(string_at(world.pod("worker-0"), "status.phase"), "Pending");
      EXPECT_EQ(world.refused_creations, 0);
    }
  }
}

TEST(PlanRestart, StatusSaysCreatingBetweenAPodAndItsReplacement) {
  World world = running("OnFailure");
  world.end_pod("worker-0", 1);
  while (world.has_pod("worker-0")) world.apply(world.plan());
  const JobPlan plan = world.plan();
  ASSERT_EQ(plan.create_pods.size(), 1U);
  ASSERT_TRUE(plan.status);
  EXPECT_EQ(int_at(*plan.status, "aggregate.creating"), 1);
  EXPECT_EQ(int_at(*plan.status, "aggregate.failed"), 0);
}

TEST(PlanRestart, AllReplicasShareTheBackoffLimit) {
  World world = running("OnFailure", 2);
  end_and_go_on(world, "worker-0", 1);
  end_and_go_on(world, "worker-1", 1);
  EXPECT_EQ(world.backoff(), 2);
  end_and_go_on(world, "worker-0", 1);
  EXPECT_EQ(world.backoff(), 2);
  EXPECT_EQ(string_at(world.pod("worker-0"), "status.phase"), "Failed") << "its log stays";
}

TEST(PlanRestart, SimultaneousFailuresDoNotOverdrawTheBackoffLimit) {
  for (const bool slowly : {false, true}) {
    SCOPED_TRACE(slowly ? "pods go slowly" : "pods go at once");
    World world = running("OnFailure", 1);
    if (slowly) world.delete_slowly();
    world.end_pod("worker-0", 1);
    world.end_pod("worker-1", 1);
    world.settle();
    world.finish_deletions();
    world.settle();
    EXPECT_EQ(world.backoff(), 1);
    EXPECT_EQ(world.restarts, 1);
  }
}

TEST(PlanRestart, AFailureDuringAnotherPodsReplacementDoesNotOverdrawTheBackoffLimit) {
  World world = running("OnFailure", 1);
  world.delete_slowly();
  world.end_pod("worker-1", 1);
  world.settle();  // its removal is under way: the budget is spent
  world.end_pod("worker-0", 1);
  world.settle();
  world.finish_deletions();
  world.settle();
  EXPECT_EQ(world.restarts, 1);
  EXPECT_EQ(string_at(world.pod("worker-0"), "status.phase"), "Failed");
}

TEST(PlanRestart, ANonMasterThatFailsForGoodLeavesTheJobRunning) {
  World world = running("Never");
  world.end_pod("worker-0", 9);
  world.settle();
  EXPECT_EQ(world.phase(), "Running");
  EXPECT_TRUE(world.condition("ReplicaFailure").starts_with("True (ErrorInPod"));
  world.end_pod("master-0", 0);
  world.settle();
  EXPECT_EQ(world.phase(), "Succeeded");
}

TEST(PlanRestart, ADeletedRunningPodIsReplacedWithoutBeingCounted) {
  World world = running("OnFailure");
  world.delete_pod("worker-0");
  world.settle();
  EXPECT_TRUE(world.has_pod("worker-0")) << "never two pods for one index";
  world.finish_deletions();
  world.settle();
  EXPECT_EQ(string_at(world.pod("worker-0"), "status.phase"), "Pending");
  EXPECT_EQ(world.backoff(), 0);
}

TEST(PlanRestart, APodThatEndsBecauseItIsDeletedHasNotFailed) {
  World world = running("Never");
  for (const char* pod : {"worker-0", "master-0"}) {
    SCOPED_TRACE(pod);
    world.delete_pod(pod);
    world.settle();
    world.end_pod(pod, 143);  // SIGTERM, as the node sees it
    world.settle();
    world.finish_deletions();
    world.settle();
    EXPECT_EQ(string_at(world.pod(pod), "status.phase"), "Pending");
  }
  EXPECT_EQ(world.phase(), "Running");
  EXPECT_EQ(world.backoff(), 0);
  EXPECT_TRUE(world.told("ReplicaFailed").empty());
}

TEST(PlanRestart, AnEndedPodThatIsNotToBeReplacedIsNotReplacedWhenSomebodyDeletesIt) {
  struct Case {
    const char* policy;
    std::int64_t code;
    int limit;
  };
  for (const Case& past :
       {Case{"Never", 1, 3}, {"OnFailure", 0, 3}, {"ExitCode", 1, 3}, {"OnFailure", 1, 0}}) {
    SCOPED_TRACE(fmt::format("{} after exit code {}", past.policy, past.code));
    World world = running(past.policy, past.limit);
    world.end_pod("worker-0", past.code);
    world.settle();
    world.delete_pod("worker-0");
    ASSERT_TRUE(world.settle());
    EXPECT_FALSE(world.has_pod("worker-0"));
    EXPECT_EQ(world.replica_phase("worker-0"), "Deleted");
    EXPECT_EQ(world.backoff(), 0);
    EXPECT_EQ(world.phase(), "Running");
  }
}

TEST(PlanRestart, AFailedInitContainerTellsItsExitCode) {
  World world = running("ExitCode");
  Json& status = make_path(world.pods.at(world.pod_name("worker-0")), "status");
  status = JsonObject{
      {"phase", "Failed"},
      {"initContainerStatuses",
       JsonArray{{{"name", "fetch"}, {"state", {{"terminated", {{"exitCode", 137}}}}}}}}};
  world.settle();
  EXPECT_EQ(world.backoff(), 1);
  EXPECT_EQ(world.told("ReplicaFailed"),
            std::vector<std::string>{"Pod[mnist-40c14-worker-0] exited with error code 137, which "
                                     "is 128 + SIGKILL"});
}

TEST(PlanRestart, APodLostWithItsNodeIsReplacedOnFailureAndTellsTheReason) {
  World world = running("OnFailure");
  Json& status = make_path(world.pods.at(world.pod_name("worker-0")), "status");
  status = JsonObject{{"phase", "Failed"}, {"reason", "NodeLost"}, {"message", "node-0 is gone"}};
  world.settle();
  EXPECT_EQ(world.backoff(), 1);
  EXPECT_EQ(
      world.told("ReplicaFailed"),
      std::vector<std::string>{"Pod[mnist-40c14-worker-0] failed: NodeLost (node-0 is gone)"});
}

}  // namespace
}  // namespace trainyard::jobs
