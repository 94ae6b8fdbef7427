#include "jobs/kubeflow/test_kubeflow.h"

#include <gtest/gtest.h>

namespace trainyard::jobs {
namespace {

TEST(TFJob, TellsEveryReplicaOfTheOthersButOfEvaluators) {
  World world = tf_job({"Chief: {}", "Worker: {replicas: 2}", "PS: {}", "Evaluator: {}"});
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(env_of(world, "worker-1"),
            R"(TF_CONFIG={"cluster":{"chief":["mnist-chief-0.demo.svc:29500"],)"
            R"("ps":["mnist-ps-0.demo.svc:29501"],)"
            R"("worker":["mnist-worker-0.demo.svc:29503","mnist-worker-1.demo.svc:29504"]},)"
            R"("task":{"type":"worker","index":1},"environment":"cloud"})"
            "\n");
  EXPECT_NE(env_of(world, "evaluator-0").find(R"("task":{"type":"evaluator","index":0})"),
            std::string::npos);
  EXPECT_EQ(kTFJob.read(world.job).meeting.ports, 5);
}

TEST(TFJob, ASingleReplicaTrainsForItself) {
  World world = tf_job({"Worker: {replicas: 1}"});
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(env_of(world, "worker-0"), "");
}

TEST(TFJob, DynamicWorkersKnowOnlyThemselvesAndTheServers) {
  World world =
      tf_job({"Worker: {replicas: 2}", "PS: {replicas: 2}"}, "{}", "enableDynamicWorker: true\n");
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(env_of(world, "worker-1"),
            R"(TF_CONFIG={"sparseCluster":{"worker":{"1":"mnist-worker-1.demo.svc:29503"},)"
            R"("ps":["mnist-ps-0.demo.svc:29500","mnist-ps-1.demo.svc:29501"]},)"
            R"("task":{"type":"worker","index":1}})"
            "\n");
  EXPECT_EQ(env_of(world, "ps-1"),
            R"(TF_CONFIG={"sparseCluster":{"worker":{},"ps":["mnist-ps-1.demo.svc:29501"]},)"
            R"("task":{"type":"ps","index":1}})"
            "\n");
}

TEST(TFJob, WorkersThatComeLaterDoNotMoveThePortsOfOthers) {
  World world =
      tf_job({"Worker: {replicas: 1}", "PS: {replicas: 1}"}, "{}", "enableDynamicWorker: true\n");
  ASSERT_TRUE(world.settle());
  const std::string before = env_of(world, "ps-0");
  make_path(world.job, "spec.tfReplicaSpecs.Worker.replicas") = 3;
  ASSERT_TRUE(world.settle());
  world.lose_pod("ps-0");
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(env_of(world, "ps-0"), before);
  EXPECT_TRUE(world.has_pod("worker-2"));
}

TEST(TFJob, DeclaredPortsAreKept) {
  World world(kTFJob,
              "tfReplicaSpecs: {Worker: {replicas: 2, template: {spec: {containers: [{name: "
              "tensorflow, image: i, ports: [{name: tfjob-port, containerPort: 2222}]}]}}}}");
  ASSERT_TRUE(world.settle());
  EXPECT_NE(env_of(world, "worker-0").find("mnist-worker-1.demo.svc:2222"), std::string::npos);
}

TEST(TFJob, TheChiefDecides) {
  World world = tf_job({"Chief: {}", "Worker: {replicas: 1}"});
  ASSERT_TRUE(world.settle());
  world.set_all_phases("Running");
  world.end_pod("worker-0", 0);
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(holding(world), "Created Running");
  world.end_pod("chief-0", 0);
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(world.condition("Succeeded"),
            "True (TFJobSucceeded: TFJob demo/mnist successfully completed.)");
}

TEST(TFJob, WithoutAChiefWorker0Decides) {
  World world = tf_job({"PS: {}", "Worker: {replicas: 2}"});
  ASSERT_TRUE(world.settle());
  world.set_all_phases("Running");
  world.end_pod("worker-1", 0);
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(holding(world), "Created Running");
  world.end_pod("worker-0", 0);
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(holding(world), "Created Succeeded");
}

TEST(TFJob, AllWorkersDecideWhereThePolicySaysSo) {
  World world = tf_job({"PS: {}", "Worker: {replicas: 2}"}, "{}", "successPolicy: AllWorkers\n");
  ASSERT_TRUE(world.settle());
  world.set_all_phases("Running");
  world.end_pod("worker-0", 0);
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(holding(world), "Created Running");
  world.end_pod("worker-1", 0);
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(holding(world), "Created Succeeded");
}

TEST(TFJob, AFailedReplicaFailsTheJobAndTheConditionQuotesTheCause) {
  World world = tf_job({"Chief: {}", "PS: {}"});
  ASSERT_TRUE(world.settle());
  world.set_all_phases("Running");
  world.end_pod("ps-0", 3);
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(world.condition("Failed"),
            "True (TFJobFailed: TFJob demo/mnist has failed because 1 PS replica(s) failed: "
            "Pod[mnist-ps-0] exited with error code 3 at 2026-03-01T10:00:00Z)");
}

TEST(TFJob, DynamicWorkersMayFail) {
  World world = tf_job({"PS: {}", "Worker: {replicas: 2}"}, "{}", "enableDynamicWorker: true\n");
  ASSERT_TRUE(world.settle());
  world.set_all_phases("Running");
  world.end_pod("worker-1", 1);
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(holding(world), "Created Running");
  EXPECT_EQ(int_at(world.status(), "replicaStatuses.Worker.failed"), 1);
}

}  // namespace
}  // namespace trainyard::jobs
