#include "jobs/kubeflow/test_kubeflow.h"

#include <gtest/gtest.h>

namespace trainyard::jobs {
namespace {

using namespace std::chrono_literals;

const std::vector<std::string> kThree = {"Master: {}", "Worker: {replicas: 2}"};

TEST(KubeflowStatus, AJobIsCreatedThenRunning) {
  World world = pytorch_job(kThree);
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(holding(world), "Created");
  EXPECT_EQ(world.condition("Created"), "True (PyTorchJobCreated: PyTorchJob mnist is created.)");
  EXPECT_EQ(string_at(world.status(), "startTime"), "2026-03-01T10:00:00Z");
  world.set_phase("worker-0", "Running");
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(holding(world), "Created") << "the master decides";
  world.set_phase("master-0", "Running");
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(world.condition("Running"), "True (PyTorchJobRunning: PyTorchJob mnist is running.)");
}

TEST(KubeflowStatus, CountsPodsByRole) {
  World world = pytorch_job(kThree);
  ASSERT_TRUE(world.settle());
  world.set_phase("master-0", "Running");
  world.set_phase("worker-0", "Running");
  world.end_pod("worker-1", 0);
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(to_text(*find(world.status(), "replicaStatuses")),
            R"({"Master":{"active":1,"selector":"training.kubeflow.org/job-name=mnist,)"
            R"(training.kubeflow.org/operator-name=pytorchjob-controller,)"
            R"(training.kubeflow.org/replica-type=master"},)"
            R"("Worker":{"active":1,"succeeded":1,"selector":)"
            R"("training.kubeflow.org/job-name=mnist,)"
            R"(training.kubeflow.org/operator-name=pytorchjob-controller,)"
            R"(training.kubeflow.org/replica-type=worker"}})");
}

TEST(KubeflowStatus, TellsEventsAsTheOperatorDoes) {
  World world = pytorch_job({"Master: {restartPolicy: Never}"});
  ASSERT_TRUE(world.settle());
  world.set_all_phases("Running");
  ASSERT_TRUE(world.settle());
  world.end_pod("master-0", 0);
  ASSERT_TRUE(world.settle());
  std::string told;
  for (const PlannedEvent& event : world.events) {
    told += event.reason + ": " + event.message + "\n";
  }
  EXPECT_EQ(told,
            "SuccessfulCreateService: Created service: mnist-master-0\n"
            "SuccessfulCreatePod: Created pod: mnist-master-0\n"
            "PyTorchJobCreated: PyTorchJob mnist is created.\n"
            "PyTorchJobRunning: PyTorchJob mnist is running.\n"
            "ExitedWithCode: Pod: demo.mnist-master-0 exited with code 0\n"
            "PyTorchJobSucceeded: PyTorchJob mnist is successfully completed.\n");
}

TEST(KubeflowStatus, ASuspendedJobHasNoPodsAndBeginsAnewWhenItGoesOn) {
  World world = pytorch_job(kThree, "{activeDeadlineSeconds: 60}");
  ASSERT_TRUE(world.settle());
  world.set_all_phases("Running");
  ASSERT_TRUE(world.settle());
  world.now += 50s;
  make_path(world.job, "spec.runPolicy.suspend") = true;
  ASSERT_TRUE(world.settle());
  world.finish_deletions();
  ASSERT_TRUE(world.settle());
  EXPECT_TRUE(world.pods.empty());
  EXPECT_TRUE(world.services.empty());
  EXPECT_EQ(holding(world), "Created Suspended");
  EXPECT_EQ(world.condition("Running"),
            "False (PyTorchJobSuspended: PyTorchJob mnist is suspended.)");
  EXPECT_EQ(int_at(world.status(), "replicaStatuses.Worker.active"), 0);
  world.now += 50s;
  make_path(world.job, "spec.runPolicy.suspend") = false;
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(world.condition("Suspended"),
            "False (PyTorchJobResumed: PyTorchJob mnist is resumed.)");
  EXPECT_EQ(string_at(world.status(), "startTime"), "2026-03-01T10:01:40Z");
  world.set_all_phases("Running");
  world.now += 50s;
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(holding(world), "Created Running") << "the deadline counts from the new start";
  EXPECT_EQ(world.told("PyTorchJobSuspended").size(), 1U);
  EXPECT_EQ(world.told("PyTorchJobResumed").size(), 1U);
}

TEST(KubeflowStatus, AJobThatIsCreatedSuspendedHasNotStarted) {
  World world = pytorch_job(kThree, "{suspend: true}");
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(holding(world), "Created Suspended");
  EXPECT_EQ(find(world.status(), "startTime"), nullptr);
  EXPECT_TRUE(world.pods.empty());
}

TEST(KubeflowStatus, IsWrittenOnlyWhenSomethingHasChanged) {
  World world = pytorch_job(kThree);
  ASSERT_TRUE(world.settle());
  world.now += 10s;
  EXPECT_TRUE(is_empty(world.plan()));
}

TEST(KubeflowStatus, ScalingMakesAndRemovesWorkers) {
  World world = pytorch_job({"Worker: {replicas: 1}"}, "{}",
                            "elasticPolicy: {minReplicas: 1, maxReplicas: 3}\n");
  ASSERT_TRUE(world.settle());
  make_path(world.job, "spec.pytorchReplicaSpecs.Worker.replicas") = 3;
  ASSERT_TRUE(world.settle());
  EXPECT_TRUE(world.has_pod("worker-2"));
  world.set_all_phases("Running");
  make_path(world.job, "spec.pytorchReplicaSpecs.Worker.replicas") = 2;
  ASSERT_TRUE(world.settle());
  world.finish_deletions();
  ASSERT_TRUE(world.settle());
  EXPECT_FALSE(world.has_pod("worker-2"));
  EXPECT_FALSE(world.services.contains("mnist-worker-2"));
  EXPECT_EQ(int_at(world.status(), "replicaStatuses.Worker.active"), 2);
}

TEST(KubeflowStatus, AJobThatIsMadeSmallerDoesNotWaitForPodsThatWillNotCome) {
  World world = pytorch_job(kThree);
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(world.group_members, 3);
  make_path(world.job, "spec.pytorchReplicaSpecs.Worker.replicas") = 1;
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(world.group_members, 2);
}

TEST(KubeflowStatus, TellsOfPodsThatAreRefused) {
  World world = pytorch_job({"Master: {}"});
  world.refusal = "exceeded quota: team";
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(holding(world), "Created");
  EXPECT_EQ(world.told("FailedCreatePod"),
            std::vector<std::string>{"Error creating: exceeded quota: team"});
  EXPECT_TRUE(world.told("SuccessfulCreatePod").empty());
}

TEST(KubeflowStatus, SaysWhichFieldIsNotFollowed) {
  World world = pytorch_job({"Worker: {replicas: 1}"}, "{}",
                            "elasticPolicy: {maxReplicas: 3, metrics: [{type: Resource}]}\n");
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(world.told("NotFollowed").size(), 1U);
}

TEST(KubeflowStatus, SaysOnceWhyNothingRunsYet) {
  World world = pytorch_job({"Master: {}"});
  ASSERT_TRUE(world.settle());
  make_path(world.pods.at("mnist-master-0"), "status.conditions") =
      JsonArray{{{"type", "PodScheduled"}, {"status", "False"}, {"message", "no GPU is left"}}};
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(world.told("Unschedulable"), std::vector<std::string>{"no GPU is left"});
}

}  // namespace
}  // namespace trainyard::jobs
