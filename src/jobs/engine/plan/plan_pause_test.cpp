// Pause and resume: T9k's contract, section 1.5.
#include "jobs/engine/plan/plan.h"
#include "jobs/engine/test_world.h"

#include <gtest/gtest.h>

namespace trainyard::jobs {
namespace {

using namespace std::chrono_literals;

World job(const std::string& run_policy = "{}", const std::string& restart = "OnFailure") {
  return World::with_groups({"{type: worker, replicas: 2, restartPolicy: " + restart + "}"},
                            run_policy);
}

World running(const std::string& run_policy = "{}", const std::string& restart = "OnFailure") {
  World world = job(run_policy, restart);
  world.settle();
  world.set_all_phases("Running");
  world.settle();
  return world;
}

void set_pause(World& world, bool enabled) {
  make_path(world.job, "spec.runMode.pause.enabled") = enabled;
}

TEST(PlanPause, DeletesThePodsAndIsPausedAsSoonAsTheyAreGoing) {
  World world = running();
  set_pause(world, true);
  world.apply(world.plan());
  EXPECT_TRUE(is_being_deleted(world.pod("worker-0"))) << "gracefully: they are told to end";
  EXPECT_TRUE(is_being_deleted(world.pod("worker-1")));
  EXPECT_EQ(world.phase(), "Paused");
  const std::string why = "(Paused: The job is paused: spec.runMode.pause.enabled is true.)";
  EXPECT_EQ(world.condition("Paused"), "True " + why);
  EXPECT_EQ(world.condition("Running"), "False " + why);
  EXPECT_EQ(world.told("Paused").size(), 1U);
  world.finish_deletions();
  ASSERT_TRUE(world.settle());
  EXPECT_TRUE(world.pods.empty());
  EXPECT_EQ(world.replica_phase("worker-0"), "Deleted");
  EXPECT_EQ(int_at(world.status(), "aggregate.deleted"), 2);
  EXPECT_EQ(world.told("Paused").size(), 1U);
}

TEST(PlanPause, AJobThatIsCreatedPausedHasNoPodsAndTakesNoPort) {
  World world = job();
  world.job.at("metadata").get_object().erase("annotations");
  set_pause(world, true);
  const JobPlan plan = world.plan();
  EXPECT_FALSE(plan.needs_port);
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(world.phase(), "Paused");
  EXPECT_TRUE(world.pods.empty());
  EXPECT_EQ(world.told("Created").size(), 1U);
  EXPECT_EQ(string_at(world.status(), "startTime"), "") << "the deadline's clock has not started";
  set_pause(world, false);
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(world.phase(), "Resuming");
  EXPECT_EQ(world.pods.size(), 2U);
}

TEST(PlanPause, ResumesAndRunsWhenThePodsDo) {
  World world = running();
  set_pause(world, true);
  world.settle();
  world.finish_deletions();
  world.settle();
  set_pause(world, false);
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(world.phase(), "Resuming");
  EXPECT_EQ(world.condition("Paused"), "False (Resumed: The job goes on after a pause.)");
  EXPECT_EQ(world.told("Resumed").size(), 1U);
  EXPECT_EQ(world.pods.size(), 2U);
  world.set_all_phases("Running");
  world.settle();
  EXPECT_EQ(world.phase(), "Running");
  EXPECT_EQ(world.condition("Running"), "True (-: All pods are running normally.)");
  EXPECT_EQ(world.told("Running").size(), 2U);
}

TEST(PlanPause, AResumeWaitsForPodsThatAreStillGoing) {
  World world = running();
  set_pause(world, true);
  world.settle();
  set_pause(world, false);
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(world.refused_creations, 0) << "never two pods for one index";
  world.finish_deletions();
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(world.pods.size(), 2U);
  EXPECT_EQ(world.phase(), "Resuming");
}

TEST(PlanPause, CountersSurviveAndAPauseSpendsNothing) {
  World world = running("{backoffLimit: 2}");
  world.end_pod("worker-1", 1);
  world.settle();
  world.set_all_phases("Running");
  world.settle();
  ASSERT_EQ(world.backoff(), 1);
  for (int i = 0; i < 3; ++i) {
    set_pause(world, true);
    world.settle();
    world.end_pod("worker-0", 143);
    world.end_pod("worker-1", 0);  // obeys, and leaves with what it has saved
    world.settle();
    world.finish_deletions();
    world.settle();
    set_pause(world, false);
    ASSERT_TRUE(world.settle());
    world.set_all_phases("Running");
    world.settle();
  }
  EXPECT_EQ(world.phase(), "Running");
  EXPECT_EQ(world.backoff(), 1);
  EXPECT_EQ(int_at(world.replica("worker-1"), "restarts"), 1);
}

TEST(PlanPause, AMasterThatObeysWithExitCodeZeroHasNotFinishedTheJob) {
  World world = running();
  set_pause(world, true);
  world.settle();
  world.end_pod("worker-0", 0);
  world.settle();
  EXPECT_EQ(world.phase(), "Paused");
}

TEST(PlanPause, AnEndBeforeThePauseCounts) {
  World world = running();
  world.end_pod("worker-0", 0);
  set_pause(world, true);
  world.settle();
  EXPECT_EQ(world.phase(), "Succeeded");
}

TEST(PlanPause, ReplicasThatHaveEndedDoNotRunAgain) {
  World world = running("{}", "Never");
  world.end_pod("worker-1", 0);
  world.settle();
  const std::string uid(uid_of(world.pod("worker-1")));
  set_pause(world, true);
  world.settle();
  world.finish_deletions();
  world.settle();
  EXPECT_EQ(world.pods.size(), 1U);
  set_pause(world, false);
  world.settle();
  EXPECT_EQ(uid_of(world.pod("worker-1")), uid);
  EXPECT_EQ(string_at(world.pod("worker-0"), "status.phase"), "Pending");
}

TEST(PlanPause, AFailureJustBeforeThePauseIsReplacedAfterIt) {
  World world = running("{backoffLimit: 1}");
  world.end_pod("worker-1", 1);
  set_pause(world, true);
  world.settle();
  EXPECT_EQ(world.phase(), "Paused");
  world.finish_deletions();
  set_pause(world, false);
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(world.backoff(), 1);
  EXPECT_EQ(string_at(world.pod("worker-1"), "status.phase"), "Pending");
}

TEST(PlanPause, TheDeadlinesClockStandsStill) {
  World world = running("{activeDeadlineSeconds: 60}");
  world.now += 50s;
  set_pause(world, true);
  world.settle();
  world.finish_deletions();
  world.now += 1h;
  world.settle();
  EXPECT_EQ(world.phase(), "Paused");
  set_pause(world, false);
  world.settle();
  world.set_all_phases("Running");
  world.settle();
  EXPECT_EQ(int_at(world.status(), "pausedSeconds"), 3600);
  world.now += 9s;
  world.settle();
  EXPECT_EQ(world.phase(), "Running");
  const auto left = world.plan().look_again;
  ASSERT_TRUE(left);
  EXPECT_LE(*left, 1s);
  world.now += 1s;
  world.settle();
  EXPECT_EQ(world.phase(), "Failed");
  world.finish_deletions();
  world.settle();
  EXPECT_TRUE(world.pods.empty()) << "what ran beyond the deadline is stopped";
}

TEST(PlanPause, TimeBeforeTheFirstPodIsNoPause) {
  World world = job("{activeDeadlineSeconds: 60}");
  set_pause(world, true);
  world.settle();
  world.now += 1h;
  set_pause(world, false);
  world.settle();
  EXPECT_EQ(int_at(world.status(), "pausedSeconds"), 0);
  EXPECT_EQ(string_at(world.status(), "startTime"), "2026-03-01T11:00:00Z");
}

TEST(PlanPause, HasNoEffectOnAFinishedJob) {
  World world = running();
  world.end_pod("worker-0", 0);
  world.settle();
  set_pause(world, true);
  EXPECT_TRUE(is_empty(world.plan()));
  EXPECT_EQ(world.phase(), "Succeeded");
}

TEST(PlanPause, ResumedPodsRunWhatResumeSpecsSay) {
  World world(R"(
runMode: {pause: {resumeSpecs: [{type: worker, command: [go-on], args: [--from, last]}]}}
replicaSpecs:
- {type: ps, template: {spec: {containers: [{name: main, command: [serve]}]}}}
- {type: worker, template: {spec: {initContainers: [{name: fetch}],
                                   containers: [{name: main, command: [train], args: [--new]}]}}}
)");
  const auto words = [&](const char* pod, const char* field) {
    return to_text(array_at(array_at(world.pod(pod), "spec.containers")[0], field));
  };
  world.settle();
  EXPECT_EQ(words("worker-0", "command"), R"(["train"])");
  set_pause(world, true);
  world.settle();
  world.finish_deletions();
  world.settle();
  set_pause(world, false);
  world.settle();
  EXPECT_EQ(words("worker-0", "command"), R"(["go-on"])");
  EXPECT_EQ(words("worker-0", "args"), R"(["--from","last"])");
  EXPECT_EQ(words("ps-0", "command"), R"(["serve"])") << "types without an entry keep their own";
  EXPECT_EQ(array_at(world.pod("worker-0"), "spec.initContainers").size(), 1U);
  // A replacement is as its predecessor was.
  world.set_all_phases("Running");
  world.settle();
  world.end_pod("worker-0", 1);
  world.settle();
  EXPECT_EQ(words("worker-0", "command"), R"(["go-on"])");
}

TEST(PlanPause, AResumedPodMaySkipItsInitContainers) {
  World world(R"(
runMode: {pause: {enabled: true, resumeSpecs: [{type: worker, skipInitContainer: true}]}}
replicaSpecs:
- {type: worker, template: {spec: {initContainers: [{name: fetch}], containers: [{name: main}]}}}
)");
  world.settle();
  set_pause(world, false);
  world.settle();
  EXPECT_TRUE(array_at(world.pod("worker-0"), "spec.initContainers").empty());
}

}  // namespace
}  // namespace trainyard::jobs
