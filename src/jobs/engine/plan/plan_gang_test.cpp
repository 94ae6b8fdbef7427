// Gang sense: runPolicy.onReplicaFailure and runPolicy.restartScope.
#include "jobs/engine/plan/plan.h"
#include "jobs/engine/test_world.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

namespace trainyard::jobs {
namespace {

World running(const std::string& run_policy, const std::string& restart = "OnFailure") {
  World world = World::with_groups(
      {fmt::format("{{type: worker, replicas: 3, restartPolicy: {}}}", restart)}, run_policy);
  world.settle();
  world.set_all_phases("Running");
  world.settle();
  return world;
}

std::set<std::string> uids(const World& world) {
  std::set<std::string> found;
  for (const auto& [name, pod] : world.pods) found.emplace(uid_of(pod));
  return found;
}

// onReplicaFailure.

TEST(StopJob, AReplicaThatFailsForGoodFailsTheJobAndStopsTheOthers) {
  World world = running("{onReplicaFailure: StopJob, cleanUpPolicy: None}", "Never");
  world.end_pod("worker-2", 5);
  world.settle();
  EXPECT_EQ(world.phase(), "Failed");
  EXPECT_TRUE(
      world.told("Failed").at(0).starts_with("Pod[mnist-40c14-worker-2] exited with error code 5"))
      << world.told("Failed").at(0);
  EXPECT_TRUE(is_being_deleted(world.pod("worker-0")));
  EXPECT_TRUE(is_being_deleted(world.pod("worker-1")));
  EXPECT_FALSE(is_being_deleted(world.pod("worker-2"))) << "its log stays";
}

TEST(StopJob, AMasterThatFailsStopsTheOthersToo) {
  World world = running("{onReplicaFailure: StopJob}", "Never");
  world.end_pod("worker-0", 1);
  world.settle();
  EXPECT_EQ(world.phase(), "Failed");
  EXPECT_TRUE(is_being_deleted(world.pod("worker-1")));
}

TEST(StopJob, RestartsComeFirst) {
  World world = running("{onReplicaFailure: StopJob, backoffLimit: 1}");
  world.end_pod("worker-2", 1);
  world.settle();
  EXPECT_EQ(world.phase(), "Running");
  world.set_all_phases("Running");
  world.settle();
  world.end_pod("worker-1", 1);
  world.settle();
  EXPECT_EQ(world.phase(), "Failed");
}

TEST(StopJob, AReplicaThatSucceedsIsNoReason) {
  World world = running("{onReplicaFailure: StopJob}");
  world.end_pod("worker-2", 0);
  world.settle();
  EXPECT_EQ(world.phase(), "Running");
}

// restartScope.

TEST(RestartScopeJob, AllReplicasAreReplacedTogetherAndItCountsOnce) {
  World world = running("{restartScope: Job, backoffLimit: 2}");
  const std::set<std::string> before = uids(world);
  world.end_pod("worker-1", 1);
  world.end_pod("worker-2", 1);
  world.settle();
  world.finish_deletions();
  ASSERT_TRUE(world.settle());
  ASSERT_EQ(world.pods.size(), 3U);
  for (const std::string& uid : uids(world)) EXPECT_FALSE(before.contains(uid));
  EXPECT_EQ(world.backoff(), 1);
  EXPECT_EQ(world.phase(), "Running");
  ASSERT_EQ(world.told("Restarting").size(), 1U);
  EXPECT_TRUE(world.told("Restarting")[0].starts_with(
      "All replicas are started anew together (restart 1 of 2), since "
      "Pod[mnist-40c14-worker-1] exited with error code 1"))
      << world.told("Restarting")[0];
}

TEST(RestartScopeJob, NoNewPodStartsBeforeAllOldOnesAreGone) {
  World world = running("{restartScope: Job}");
  world.end_pod("worker-1", 1);
  world.settle();
  const std::set<std::string> before = uids(world);
  EXPECT_TRUE(is_being_deleted(world.pod("worker-0")));
  EXPECT_TRUE(is_being_deleted(world.pod("worker-2")));
  EXPECT_FALSE(world.has_pod("worker-1")) << "the failed one went at once, and waits for the rest";
  EXPECT_EQ(world.backoff(), 1) << "written down before they go";
  world.end_pod("worker-0", 143);
  world.settle();
  EXPECT_EQ(world.backoff(), 1) << "what ends because it is told to is no failure";
  EXPECT_EQ(world.pods.size(), 2U);
  world.finish_deletions();
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(world.pods.size(), 3U);
  EXPECT_EQ(world.refused_creations, 0);
}

TEST(RestartScopeJob, IsCountedOnceWhereverTheControllerCrashes) {
  for (int plans = 0; plans < 4; ++plans) {
    for (std::size_t steps = 0; steps < 6; ++steps) {
      SCOPED_TRACE(fmt::format("crash in plan {} after {} steps", plans, steps));
      World world = running("{restartScope: Job}");
      world.end_pod("worker-1", 1);
      for (int done = 0; done < plans; ++done) {
        world.apply(world.plan());
        world.finish_deletions();
      }
      world.apply(world.plan(), steps);
      world.finish_deletions();
      ASSERT_TRUE(world.settle());
      world.finish_deletions();
      ASSERT_TRUE(world.settle());
      EXPECT_EQ(world.backoff(), 1);
      EXPECT_EQ(world.pods.size(), 3U);
      EXPECT_EQ(world.refused_creations, 0);
    }
  }
}

TEST(RestartScopeJob, FailsTheJobWhenItsRestartsAreUsedUp) {
  World world = running("{restartScope: Job, backoffLimit: 1}");
  for (int round = 0; round < 2; ++round) {
    world.end_pod("worker-0", 3);
    world.settle();
    world.finish_deletions();
    world.settle();
    if (round == 0) world.set_all_phases("Running");
    world.settle();
  }
  EXPECT_EQ(world.phase(), "Failed");
  EXPECT_EQ(world.backoff(), 1);
  EXPECT_NE(world.told("Failed").at(0).find("all 1 restarts of runPolicy.backoffLimit are used up"),
            std::string::npos);
}

TEST(RestartScopeJob, TakesThosePodsAlongThatHaveSucceeded) {
  World world = running("{restartScope: Job}");
  world.end_pod("worker-2", 0);
  world.settle();
  world.end_pod("worker-1", 1);
  world.settle();
  world.finish_deletions();
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(string_at(world.pod("worker-2"), "status.phase"), "Pending");
}

TEST(RestartScopeJob, APolicyThatForbidsARestartForbidsItForAll) {
  World world = running("{restartScope: Job}", "ExitCode");
  world.end_pod("worker-1", 1);
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(world.backoff(), 0);
  EXPECT_EQ(world.phase(), "Running");
  EXPECT_TRUE(world.condition("ReplicaFailure").starts_with("True"));
}

TEST(RestartScopeJob, APodThatSomebodyDeletedIsReplacedAlone) {
  World world = running("{restartScope: Job}");
  const std::string other(uid_of(world.pod("worker-0")));
  world.delete_pod("worker-1");
  world.settle();
  world.finish_deletions();
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(world.backoff(), 0);
  EXPECT_EQ(uid_of(world.pod("worker-0")), other);
}

TEST(RestartScopeJob, AFailedPodThatSomebodyDeletedStillRestartsAll) {
  World world = running("{restartScope: Job}");
  world.end_pod("worker-1", 1);
  world.apply(world.plan());  // seen, and the restart written down
  world.pods.erase(world.pod_name("worker-1"));
  world.settle();
  world.finish_deletions();
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(world.backoff(), 1);
  EXPECT_EQ(world.pods.size(), 3U);
}

TEST(RestartScopeJob, SurvivesAPause) {
  World world = running("{restartScope: Job}");
  world.end_pod("worker-1", 1);
  world.settle();
  make_path(world.job, "spec.runMode.pause.enabled") = true;
  world.settle();
  world.finish_deletions();
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(world.phase(), "Paused");
  EXPECT_TRUE(world.pods.empty());
  make_path(world.job, "spec.runMode.pause.enabled") = false;
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(world.pods.size(), 3U);
  EXPECT_EQ(world.backoff(), 1);
}

TEST(PlanJob, SaysWhyItsPodsAreRefused) {
  World world = World::with_groups({"{type: worker, replicas: 2}"});
  world.refusal = "exceeded quota: team";
  ASSERT_TRUE(world.settle());
  EXPECT_TRUE(world.pods.empty()) << "it is not tried again at once";
  EXPECT_EQ(world.phase(), "Pending");
  EXPECT_EQ(world.condition("Running"),
            "False (FailedCreate: Error creating: exceeded quota: team)");
  EXPECT_EQ(world.told("FailedCreate").size(), 1U);
  world.refusal.clear();
  ASSERT_TRUE(world.settle());
  EXPECT_TRUE(world.has_pod("worker-1"));
  EXPECT_EQ(world.condition("Running"), "False (-: All pods have a place.)");
}

}  // namespace
}  // namespace trainyard::jobs
