// When jobs of Kubeflow's kinds end, what is restarted before, and what is left of them.
#include "jobs/kubeflow/test_kubeflow.h"

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

const std::vector<std::string> kTwo = {"Master: {restartPolicy: Never}",
                                       "Worker: {replicas: 1, restartPolicy: Never}"};

TEST(KubeflowEnd, TheMastersSuccessIsTheJobs) {
  World world = running(pytorch_job(kTwo));
  world.end_pod("master-0", 0);
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(world.condition("Succeeded"),
            "True (PyTorchJobSucceeded: PyTorchJob mnist is successfully completed.)");
  EXPECT_EQ(string_at(world.status(), "completionTime"), "2026-03-01T10:00:00Z");
}

TEST(KubeflowEnd, WithoutAMasterAllWorkersMustSucceed) {
  World world = running(pytorch_job({"Worker: {replicas: 2}"}));
  world.end_pod("worker-0", 0);
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(holding(world), "Created Running");
  world.end_pod("worker-1", 0);
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(world.condition("Succeeded"),
            "True (PyTorchJobSucceeded: PyTorchJob demo/mnist successfully completed.)");
}

TEST(KubeflowEnd, OfElasticWorkersOneIsEnough) {
  World world =
      running(pytorch_job({"Worker: {replicas: 2}"}, "{}", "elasticPolicy: {minReplicas: 1}\n"));
  world.end_pod("worker-1", 0);
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(holding(world), "Created Succeeded");
}

TEST(KubeflowEnd, AWorkerThatIsNeverRestartedFailsTheJob) {
  World world = running(pytorch_job(kTwo));
  world.end_pod("worker-0", 2);
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(world.condition("Failed"),
            "True (PyTorchJobFailed: PyTorchJob mnist is failed because 1 Worker replica(s) "
            "failed: Pod[mnist-worker-0] exited with error code 2 at 2026-03-01T10:00:00Z)");
  EXPECT_TRUE(world.has_pod("master-0")) << "cleanPodPolicy None keeps all";
}

TEST(KubeflowEnd, PodsAreRestartedInPlaceByTheirNode) {
  World world = running(pytorch_job({"Master: {}", "Worker: {restartPolicy: Always}"}));
  EXPECT_EQ(string_at(world.pod("master-0"), "spec.restartPolicy"), "OnFailure");
  EXPECT_EQ(string_at(world.pod("worker-0"), "spec.restartPolicy"), "Always");
  for (int i = 0; i < 9; ++i) world.restart_container("worker-0", 1);
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(holding(world), "Created Running") << "without a backoffLimit for ever";
}

TEST(KubeflowEnd, TheBackoffLimitCountsRestartsInPlace) {
  World world = running(pytorch_job({"Master: {}", "Worker: {}"}, "{backoffLimit: 2}"));
  world.restart_container("worker-0", 1);
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(holding(world), "Created Running");
  world.restart_container("worker-0", 9);
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(world.condition("Failed"),
            "True (PyTorchJobFailed: Job mnist has failed because it has reached the specified "
            "backoff limit: Pod[mnist-worker-0] exited with error code 9 at 2026-03-01T10:00:00Z; "
            "containers were started again 2 times)");
  world.finish_deletions();
  EXPECT_TRUE(world.pods.empty()) << "whatever the cleanPodPolicy";
}

TEST(KubeflowEnd, ABackoffLimitOf0AllowsNoRestart) {
  World world = running(pytorch_job({"Master: {}"}, "{backoffLimit: 0}"));
  world.restart_container("master-0", 1);
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(holding(world), "Created Failed");
}

TEST(KubeflowEnd, ExitCodeReplacesAfterSignalsOnly) {
  World world = running(pytorch_job({"Master: {}", "Worker: {restartPolicy: ExitCode}"}));
  EXPECT_EQ(string_at(world.pod("worker-0"), "spec.restartPolicy"), "Never");
  const std::string first(uid_of(world.pod("worker-0")));
  world.end_pod("worker-0", 137);
  world.apply(world.plan());
  EXPECT_EQ(world.condition("Restarting"),
            "True (PyTorchJobRestarting: PyTorchJob mnist is restarting because 1 Worker "
            "replica(s) failed.)");
  ASSERT_TRUE(world.settle());
  EXPECT_NE(uid_of(world.pod("worker-0")), first);
  EXPECT_EQ(holding(world), "Created Running") << "the master runs on";
  world.end_pod("worker-0", 1);
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(holding(world), "Created Failed");
}

TEST(KubeflowEnd, TheBackoffLimitBoundsReplacements) {
  World world = running(
      pytorch_job({"Master: {}", "Worker: {restartPolicy: ExitCode}"}, "{backoffLimit: 1}"));
  world.end_pod("worker-0", 130);
  ASSERT_TRUE(world.settle());
  world.set_all_phases("Running");
  world.end_pod("worker-0", 130);
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(holding(world), "Created Failed");
  EXPECT_NE(world.condition("Failed").find("all 1 restarts of runPolicy.backoffLimit are used up"),
            std::string::npos);
}

TEST(KubeflowEnd, TheCleanPodPolicySaysWhichPodsGo) {
  for (const char* policy : {"None", "Running", "All"}) {
    World world = running(pytorch_job(kTwo, fmt::format("{{cleanPodPolicy: {}}}", policy)));
    world.end_pod("master-0", 0);
    ASSERT_TRUE(world.settle());
    world.finish_deletions();
    const std::string_view word = policy;
    EXPECT_EQ(world.has_pod("master-0"), word != "All") << policy;
    EXPECT_EQ(world.has_pod("worker-0"), word == "None") << policy;
    EXPECT_EQ(int_at(world.status(), "replicaStatuses.Worker.succeeded"), 1) << policy;
  }
}

TEST(KubeflowEnd, TheDeadlineStopsEverything) {
  World world = running(pytorch_job(kTwo, "{activeDeadlineSeconds: 30}"));
  world.now += 30s;
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(world.condition("Failed"),
            "True (PyTorchJobFailed: Job mnist has failed because it was active longer than "
            "specified deadline)");
  world.finish_deletions();
  EXPECT_TRUE(world.pods.empty());
}

TEST(KubeflowEnd, AJobIsDeletedWhenItsTimeHasPassed) {
  World world = running(pytorch_job(kTwo, "{ttlSecondsAfterFinished: 5}"));
  world.end_pod("master-0", 0);
  ASSERT_TRUE(world.settle());
  EXPECT_FALSE(world.job_is_removed);
  EXPECT_EQ(world.plan().look_again, 4750ms) << "completionTime is in whole seconds";
  world.now += 5s;
  world.apply(world.plan());
  EXPECT_TRUE(world.job_is_removed);
}

TEST(KubeflowEnd, WhatAnotherOperatorFinishedStaysFinished) {
  World world = pytorch_job(kTwo);
  make_path(world.job, "status.conditions") =
      JsonArray{{{"type", "Succeeded"}, {"status", "True"}}};
  ASSERT_TRUE(world.settle());
  EXPECT_TRUE(world.pods.empty());
}

TEST(KubeflowEnd, AJobThatKueueRunsElsewhereIsLeftAlone) {
  World world = pytorch_job(kTwo, "{managedBy: kueue.x-k8s.io/multikueue}");
  EXPECT_TRUE(is_empty(world.plan()));
}

}  // namespace
}  // namespace trainyard::jobs
