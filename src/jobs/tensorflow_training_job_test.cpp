// T9k's contract, section 4.
#include "jobs/tensorflow_training_job.h"

#include "jobs/engine/test_world.h"

#include <gtest/gtest.h>

namespace trainyard::jobs {
namespace {

const TensorFlowTrainingJob kKind;

constexpr const char* kCluster = R"(
replicaSpecs:
- {type: worker, replicas: 2, template: {spec: {containers: [{name: side}, {name: tensorflow, env: [{name: A, value: b}]}]}}}
- {type: chief, template: {spec: {containers: [{name: tensorflow}]}}}
- {type: ps, template: {spec: {containers: [{name: tensorflow}]}}}
- {type: evaluator, template: {spec: {containers: [{name: tensorflow}]}}}
)";

std::string config_of(const World& world, const char* pod) {
  for (const Json& container : array_at(world.pod(pod), "spec.containers")) {
    const JsonArray& env = array_at(container, "env");
    if (string_at(container, "name") != "tensorflow") {
      EXPECT_TRUE(env.empty());
      continue;
    }
    EXPECT_EQ(string_at(env[0], "name"), "TF_CONFIG");
    return std::string(string_at(env[0], "value"));
  }
  return "";
}

TEST(TensorFlowTrainingJob, TfConfigTellsWhoIsWhereAndLeavesEvaluatorsOut) {
  World world(kKind, kCluster);
  world.settle();
  const std::string cluster =
      R"({"cluster":{"chief":["mnist-40c14-chief-0.mnist-40c14:29500"],)"
      R"("worker":["mnist-40c14-worker-0.mnist-40c14:29501","mnist-40c14-worker-1.mnist-40c14:29502"],)"
      R"("ps":["mnist-40c14-ps-0.mnist-40c14:29503"]},)";
  EXPECT_EQ(config_of(world, "worker-1"), cluster + R"("task":{"type":"worker","index":1}})");
  EXPECT_EQ(config_of(world, "chief-0"), cluster + R"("task":{"type":"chief","index":0}})");
  EXPECT_EQ(config_of(world, "evaluator-0"), cluster + R"("task":{"type":"evaluator","index":0}})");
}

TEST(TensorFlowTrainingJob, TheChiefIsTheMaster) {
  World world(kKind, kCluster);
  world.settle();
  EXPECT_EQ(label_of(world.pod("chief-0"), "job-role"), "master");
  EXPECT_EQ(label_of(world.pod("worker-0"), "job-role"), "");
  world.set_all_phases("Running");
  world.settle();
  world.end_pod("worker-0", 0);
  world.settle();
  EXPECT_EQ(world.phase(), "Running");
  world.end_pod("chief-0", 0);
  world.settle();
  EXPECT_EQ(world.phase(), "Succeeded");
}

TEST(TensorFlowTrainingJob, WithoutAChiefWorkerZeroIsTheMaster) {
  World world(kKind, R"(
replicaSpecs:
- {type: ps, template: {spec: {containers: [{name: tensorflow}]}}}
- {type: chief, replicas: 0, template: {spec: {containers: [{name: tensorflow}]}}}
- {type: worker, replicas: 2, template: {spec: {containers: [{name: tensorflow}]}}}
)");
  world.settle();
  EXPECT_EQ(label_of(world.pod("worker-0"), "job-role"), "master");
  EXPECT_EQ(string_at(array_at(world.status(), "tasks")[0], "type"), "ps") << "as in the spec";
}

TEST(TensorFlowTrainingJob, EveryReplicaHasAPort) {
  World world(kKind, kCluster);
  EXPECT_EQ(kKind.read(world.job).meeting.ports, 5);
}

}  // namespace
}  // namespace trainyard::jobs
