// How jobs of Kubeflow's MPIJob are told of, how they end, and what is left of them.
#include "jobs/explain.h"
#include "jobs/kubeflow/test_kubeflow.h"
#include "object/values/status.h"

#include <gtest/gtest.h>

namespace trainyard::jobs {
namespace {

using namespace std::chrono_literals;

World running(World world) {
  EXPECT_TRUE(world.settle());
  world.set_all_phases("Running");
  EXPECT_TRUE(world.settle());
  return world;
}

/// Launchers whose pods are replaced, not restarted in place.
World running_once(const std::string& policy) {
  return running(mpi_job(policy, "", "command: [x]", "name: w", "restartPolicy: Never, "));
}

void set_container(World& world, const std::string& list, const Json& status) {
  make_path(world.pods.at("mnist-launcher"), "status." + list) = JsonArray{status};
  EXPECT_TRUE(world.settle());
}

TEST(KubeflowMpiEnd, IsCreatedThenRunningThenSucceeded) {
  World world = mpi_job();
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(world.condition("Created"), "True (MPIJobCreated: MPIJob demo/mnist is created.)");
  world.set_phase("worker-0", "Running");
  world.set_phase("worker-1", "Running");
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(holding(world), "Created") << "the launcher does not run yet";
  world.set_all_phases("Running");
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(world.condition("Running"), "True (MPIJobRunning: MPIJob demo/mnist is running.)");
  EXPECT_EQ(int_at(world.status(), "replicaStatuses.Launcher.active"), 1);
  EXPECT_EQ(int_at(world.status(), "replicaStatuses.Worker.active"), 2);
  world.end_pod("launcher", 0);
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(world.condition("Succeeded"),
            "True (MPIJobSucceeded: MPIJob demo/mnist successfully completed.)");
  EXPECT_EQ(int_at(world.status(), "replicaStatuses.Launcher.succeeded"), 1);
  EXPECT_EQ(int_at(world.status(), "replicaStatuses.Worker.active"), 2) << "they still run";
  EXPECT_EQ(world.pods.size(), 3U) << "nobody has asked for a clean-up";
}

TEST(KubeflowMpiEnd, CleaningUpNeverTakesTheLauncher) {
  for (const char* policy : {"{cleanPodPolicy: Running}", "{cleanPodPolicy: All}"}) {
    World world = running(mpi_job(policy));
    world.end_pod("launcher", 0);
    ASSERT_TRUE(world.settle());
    world.finish_deletions();
    ASSERT_TRUE(world.settle());
    EXPECT_EQ(world.pods.size(), 1U) << policy;
    EXPECT_TRUE(world.pods.contains("mnist-launcher")) << policy;
  }
}

TEST(KubeflowMpiEnd, ALauncherThatFailsForGoodFailsTheJobInTheWordsOfABatchJob) {
  World world = running_once("{backoffLimit: 0}");
  world.end_pod("launcher", 3);
  ASSERT_TRUE(world.settle());
  EXPECT_TRUE(world.condition("Failed").starts_with(
      "True (BackoffLimitExceeded: Job has reached the specified backoff limit: "
      "Pod[mnist-launcher] exited with error code 3"))
      << world.condition("Failed");
  world.finish_deletions();
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(world.pods.size(), 1U) << "no worker lingers";
}

TEST(KubeflowMpiEnd, WhoWantsWorkersKeptKeepsThem) {
  World world = running_once("{backoffLimit: 0, cleanPodPolicy: None}");
  world.end_pod("launcher", 3);
  ASSERT_TRUE(world.settle());
  world.finish_deletions();
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(world.pods.size(), 3U);
}

TEST(KubeflowMpiEnd, ALauncherIsTriedSixTimesMoreUnlessToldOtherwise) {
  World world = running_once("{}");
  for (int tries = 0; tries < 6; ++tries) {
    world.end_pod("launcher", 1);
    ASSERT_TRUE(world.settle());
    ASSERT_EQ(holding(world).find("Failed"), std::string::npos) << tries;
    world.set_all_phases("Running");
    ASSERT_TRUE(world.settle());
  }
  world.end_pod("launcher", 1);
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(holding(world), "Created Failed");
}

TEST(KubeflowMpiEnd, RestartsInPlaceCountAgainstTheLimit) {
  World world = running(mpi_job("{backoffLimit: 2}"));
  world.restart_container("launcher", 1);
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(holding(world), "Created Running");
  world.restart_container("launcher", 1);
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(world.told("BackoffLimitExceeded").size(), 1U);
  world.finish_deletions();
  ASSERT_TRUE(world.settle());
  EXPECT_TRUE(world.pods.empty()) << "a launcher that is tried again and again is stopped";
}

TEST(KubeflowMpiEnd, AWorkerThatIsLostIsMpirunsToNotice) {
  World world = running(mpi_job());
  world.end_pod("worker-1", 137);
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(holding(world), "Created Running") << "elastic programs go on";
  // mpirun gives up, and its container waits to be started again.
  set_container(world, "containerStatuses",
                {{"name", "l"}, {"state", {{"waiting", {{"reason", "CrashLoopBackOff"}}}}}});
  EXPECT_TRUE(world.condition("Failed").starts_with(
      "True (MPIJobFailed: MPIJob demo/mnist has failed: Pod[mnist-worker-1] exited with error "
      "code 137"))
      << world.condition("Failed");
  world.finish_deletions();
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(world.pods.size(), 1U) << "the worker that failed stays to be looked at";
}

TEST(KubeflowMpiEnd, AWorkerThatFailsBeforeTheLauncherStartsFailsTheJob) {
  World world = mpi_job();
  ASSERT_TRUE(world.settle());
  world.end_pod("worker-0", 127);
  ASSERT_TRUE(world.settle());
  EXPECT_NE(world.condition("Failed").find("Pod[mnist-worker-0] exited with error code 127"),
            std::string::npos);
}

TEST(KubeflowMpiEnd, AWayThatIsBarredIsNamed) {
  World world = mpi_job();
  ASSERT_TRUE(world.settle());
  const std::string words = "cannot reach all workers: launcher -> mnist-worker-1: refused";
  set_container(world, "initContainerStatuses",
                {{"name", "preflight"},
                 {"restartCount", 1},
                 {"state", {{"running", JsonObject()}}},
                 {"lastState", {{"terminated", {{"exitCode", 1}, {"message", words + "\n"}}}}}});
  EXPECT_EQ(world.condition("Failed"),
            "True (MPIJobFailed: MPIJob demo/mnist has failed: " + words + ")");
}

TEST(KubeflowMpiEnd, AnEventSaysThatThereIsNoSshd) {
  World world = mpi_job();
  ASSERT_TRUE(world.settle());
  set_container(world, "initContainerStatuses",
                {{"name", "preflight"},
                 {"state",
                  {{"terminated",
                    {{"exitCode", 0},
                     {"message", "all 2 workers answer trainyard rsh: there is no sshd"}}}}}});
  EXPECT_EQ(world.told("NoSshd").size(), 1U);
  EXPECT_EQ(holding(world), "Created") << "the list of conditions is Kubeflow's";
}

TEST(KubeflowMpiEnd, TheDeadlineStopsAll) {
  World world = running(mpi_job("{activeDeadlineSeconds: 60}"));
  world.now += 61s;
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(world.condition("Failed"),
            "True (DeadlineExceeded: Job was active longer than specified deadline)");
  world.finish_deletions();
  ASSERT_TRUE(world.settle());
  EXPECT_TRUE(world.pods.empty());
}

TEST(KubeflowMpiEnd, SuspendingTakesThePodsAway) {
  World world = running(mpi_job());
  make_path(world.job, "spec.runPolicy.suspend") = true;
  ASSERT_TRUE(world.settle());
  world.finish_deletions();
  ASSERT_TRUE(world.settle());
  EXPECT_TRUE(world.pods.empty());
  EXPECT_EQ(world.condition("Suspended"), "True (MPIJobSuspended: MPIJob suspended)");
  EXPECT_EQ(world.condition("Running"), "False (MPIJobSuspended: MPIJob demo/mnist is suspended.)");
  make_path(world.job, "spec.runPolicy.suspend") = false;
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(world.condition("Suspended"), "False (MPIJobResumed: MPIJob resumed)");
  EXPECT_EQ(world.pods.size(), 3U);
}

TEST(KubeflowMpiEnd, ExplainSaysWhatHappens) {
  const std::string waits = "launcherCreationPolicy: WaitForWorkersReady\n";
  for (const std::string& more : {std::string(), waits}) {
    const World world = mpi_job("{}", more);
    ASSERT_EQ(why_not_explainable(kKubeflowMpiJob, world.job), "");
    std::map<std::string, std::string> then;
    for (const Outcome& one : explain_job(kKubeflowMpiJob, world.job)) then[one.event] = one.then;
    EXPECT_EQ(then["a launcher exits with 0"],
              "the job is Succeeded; 2 that still run are left alone (cleanPodPolicy None)")
        << more;
    EXPECT_EQ(then["a launcher exits with an error (code 1)"],
              "launcher-0 stays, and its node starts the container again; the job fails at restart "
              "6")
        << more;
  }
}

}  // namespace
}  // namespace trainyard::jobs
