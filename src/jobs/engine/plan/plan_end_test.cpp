// How jobs end and what is cleaned up: T9k's contract, sections 1.2, 1.3, 1.8 and 2.
#include "jobs/engine/plan/plan.h"
#include "jobs/engine/test_world.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace trainyard::jobs {
namespace {

using namespace std::chrono_literals;

World running(const std::string& run_policy, const std::string& restart = "OnFailure") {
  World world = World::with_groups(
      {fmt::format("{{type: worker, replicas: 3, restartPolicy: {}}}", restart)}, run_policy);
  world.settle();
  world.set_all_phases("Running");
  world.settle();
  return world;
}

TEST(PlanEnd, SucceedsWhenTheMasterExitsWithZero) {
  World world = running("{}");
  world.now += 10s;
  world.end_pod("worker-0", 0);
  world.settle();
  EXPECT_EQ(world.phase(), "Succeeded");
  const std::string ended = "(Succeeded: The job has finished successfully.)";
  EXPECT_EQ(world.condition("Running"), "False " + ended);
  EXPECT_EQ(world.condition("Failed"), "False " + ended);
  EXPECT_EQ(world.condition("Completed"), "True " + ended);
  EXPECT_TRUE(world.condition("ReplicaFailure").starts_with("False (Finished"));
  EXPECT_EQ(world.told("Succeeded"),
            std::vector<std::string>{"The job has finished successfully."});
  EXPECT_EQ(string_at(world.status(), "completionTime"), "2026-03-01T10:00:10Z");
}

TEST(PlanEnd, OtherPodsNeverDecideTheEnd) {
  World world = running("{}", "Never");
  world.end_pod("worker-1", 0);
  world.end_pod("worker-2", 1);
  world.settle();
  EXPECT_EQ(world.phase(), "Running");
}

TEST(PlanEnd, FailsWhenTheMasterFailsWithNoRestartLeft) {
  World world = running("{backoffLimit: 1}");
  world.end_pod("worker-0", 1);
  world.settle();
  EXPECT_EQ(world.phase(), "Running") << "one restart was left";
  world.set_all_phases("Running");
  world.settle();
  world.end_pod("worker-0", 3);
  world.settle();
  EXPECT_EQ(world.phase(), "Failed");
  const std::string ended =
      "(Failed: Pod[mnist-40c14-worker-0] exited with error code 3 at 2026-03-01T10:00:00Z; all 1 "
      "restarts of runPolicy.backoffLimit are used up)";
  EXPECT_EQ(world.condition("Running"), "False " + ended);
  EXPECT_EQ(world.condition("Failed"), "True " + ended);
  EXPECT_EQ(world.condition("Completed"), "True " + ended) << "completed means ended";
  EXPECT_TRUE(world.condition("ReplicaFailure").starts_with("True ("));
  ASSERT_FALSE(world.events.empty());
  EXPECT_EQ(world.events.back().reason, "Failed");
  EXPECT_TRUE(world.events.back().warning);
}

TEST(PlanEnd, FailsAtOnceWhenThePolicyForbidsTheMastersRestart) {
  struct Case {
    const char* policy;
    std::int64_t code;
    const char* phase;
  };
  for (const Case& expected : {Case{"Never", 1, "Failed"},
                               {"ExitCode", 1, "Failed"},
                               {"ExitCode", 137, "Running"},
                               {"Always", 0, "Running"}}) {
    SCOPED_TRACE(fmt::format("{} after exit code {}", expected.policy, expected.code));
    World world = running("{}", expected.policy);
    world.end_pod("worker-0", expected.code);
    world.settle();
    EXPECT_EQ(world.phase(), expected.phase);
  }
}

TEST(PlanEnd, AWorkersRestartsCountAgainstTheMaster) {
  World world = running("{backoffLimit: 1}");
  world.end_pod("worker-2", 1);
  world.settle();
  world.end_pod("worker-0", 1);
  world.settle();
  EXPECT_EQ(world.phase(), "Failed");
  EXPECT_EQ(world.backoff(), 1);
}

TEST(PlanEnd, FailsAtTheDeadlineAndTerminatesWhatRuns) {
  World world = running("{activeDeadlineSeconds: 60, cleanUpPolicy: None}");
  world.end_pod("worker-2", 0);
  world.settle();
  const auto left = world.plan().look_again;
  ASSERT_TRUE(left);
  EXPECT_LE(*left, 60s);
  EXPECT_GT(*left, 58s);
  world.now += *left - 1s;
  world.settle();
  EXPECT_EQ(world.phase(), "Running");
  world.now += 1s;
  world.settle();
  EXPECT_EQ(world.phase(), "Failed");
  EXPECT_EQ(world.told("Failed"),
            std::vector<std::string>{
                "The job has run longer than runPolicy.activeDeadlineSeconds (60 s)."});
  world.finish_deletions();
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(world.pods.size(), 1U) << "only the pod that had ended is kept";
  EXPECT_EQ(world.replica_phase("worker-0"), "Deleted");
  EXPECT_EQ(world.replica_phase("worker-2"), "Succeeded");
}

TEST(PlanEnd, DoesNotFailAMomentBeforeTheDeadline) {
  World world = running("{activeDeadlineSeconds: 60}");
  world.now = *parse_time("2026-03-01T10:00:59.9996Z");
  world.settle();
  EXPECT_EQ(world.phase(), "Running") << "completionTime would be that of the second before";
  EXPECT_GT(world.plan().look_again.value_or(0ms), 0ms) << "or it would look again at once";
}

TEST(PlanEnd, ADeadlineThatHasNotPassedDoesNotTouchPodsOfAFailedJob) {
  World world = running("{activeDeadlineSeconds: 3600, cleanUpPolicy: None}", "Never");
  world.end_pod("worker-0", 1);
  world.settle();
  ASSERT_EQ(world.phase(), "Failed");
  world.now += 2h;
  world.settle();
  world.finish_deletions();
  EXPECT_EQ(world.pods.size(), 3U) << "None keeps every pod";
}

TEST(PlanEnd, CleansUpAsThePolicySays) {
  struct Case {
    const char* policy;
    std::size_t kept;
  };
  for (const std::int64_t code : {0, 1}) {
    for (const Case& expected : {Case{"None", 3}, {"Unfinished", 2}, {"All", 0}}) {
      SCOPED_TRACE(fmt::format("{} after exit code {}", expected.policy, code));
      World world = running(fmt::format("{{cleanUpPolicy: {}}}", expected.policy), "Never");
      world.end_pod("worker-1", 5);
      world.settle();
      world.end_pod("worker-0", code);
      world.settle();
      world.finish_deletions();
      ASSERT_TRUE(world.settle());
      EXPECT_EQ(world.pods.size(), expected.kept);
      EXPECT_EQ(int_at(world.status(), "aggregate.deleted"),
                static_cast<std::int64_t>(3 - expected.kept));
      EXPECT_FALSE(world.services.empty()) << "services stay until the job is deleted";
    }
  }
}

TEST(PlanEnd, CleaningUpIsNotCountedAsRestarts) {
  World world = running("{cleanUpPolicy: All}");
  world.end_pod("worker-1", 1);
  world.settle();
  world.set_all_phases("Running");
  world.settle();
  world.end_pod("worker-2", 0);
  world.end_pod("worker-0", 0);
  for (int round = 0; round < 6; ++round) {
    world.apply(world.plan());
    world.finish_deletions();
    EXPECT_EQ(world.backoff(), 1) << "in round " << round;
  }
  EXPECT_TRUE(world.pods.empty());
}

TEST(PlanEnd, AFinishedJobNeverChangesAgain) {
  for (const std::int64_t code : {0, 1}) {
    World world = running("{activeDeadlineSeconds: 60}", "Never");
    world.end_pod("worker-0", code);
    world.settle();
    const std::string phase = world.phase();
    const std::string conditions = to_text(array_at(world.status(), "conditions"));
    const std::size_t events = world.events.size();
    world.now += 1h;
    world.end_pod("worker-0", 1 - code);
    world.end_pod("worker-1", 1);
    world.settle();
    world.delete_pod("worker-0");
    world.delete_pod("worker-2");
    world.finish_deletions();
    ASSERT_TRUE(world.settle());
    EXPECT_EQ(world.phase(), phase);
    EXPECT_EQ(to_text(array_at(world.status(), "conditions")), conditions);
    EXPECT_EQ(world.events.size(), events);
    EXPECT_FALSE(world.has_pod("worker-0")) << "a finished job creates no pods";
    EXPECT_EQ(world.replica_phase("worker-0"), "Deleted");
  }
}

TEST(PlanEnd, FinishesAlsoWhenItCrashesWhileFinishing) {
  // The end is written down in the first plan, the pods go in the second.
  for (int plans = 0; plans < 2; ++plans) {
    for (std::size_t steps = 0; steps < 5; ++steps) {
      SCOPED_TRACE(fmt::format("crash in plan {} after {} steps", plans, steps));
      World world = running("{cleanUpPolicy: All}");
      world.end_pod("worker-0", 0);
      for (int done = 0; done < plans; ++done) world.apply(world.plan());
      world.apply(world.plan(), steps);
      ASSERT_TRUE(world.settle());
      EXPECT_EQ(world.phase(), "Succeeded");
      world.finish_deletions();
      EXPECT_TRUE(world.pods.empty());
    }
  }
}

}  // namespace
}  // namespace trainyard::jobs
