// T9k's contract, section 5.
#include "jobs/xgboost_training_job.h"

#include "jobs/engine/test_world.h"

#include <gtest/gtest.h>

namespace trainyard::jobs {
namespace {

const XGBoostTrainingJob kKind;

std::map<std::string, std::string> variables(const World& world, const char* pod) {
  std::map<std::string, std::string> found;
  for (const Json& variable : array_at(array_at(world.pod(pod), "spec.containers")[0], "env")) {
    found[std::string(string_at(variable, "name"))] = string_at(variable, "value");
  }
  return found;
}

TEST(XGBoostTrainingJob, TheMasterHasRankZeroWhereverItStands) {
  World world(kKind, R"(
replicaSpecs:
- {type: worker, replicas: 2, template: {spec: {containers: [{name: xgboost}]}}}
- {type: master, template: {spec: {containers: [{name: xgboost}]}}}
)");
  world.settle();
  EXPECT_EQ(variables(world, "master-0")["RANK"], "0");
  std::map<std::string, std::string> worker = variables(world, "worker-1");
  EXPECT_EQ(worker["RANK"], "2");
  EXPECT_EQ(worker["WORLD_SIZE"], "3");
  EXPECT_EQ(worker["MASTER_ADDR"], "mnist-40c14-master-0.mnist-40c14");
  EXPECT_EQ(worker["MASTER_PORT"], "29500");
  EXPECT_EQ(label_of(world.pod("master-0"), "job-role"), "master");
}

TEST(XGBoostTrainingJob, ADeclaredPortIsTaken) {
  World world(kKind, R"(
replicaSpecs:
- type: master
  template:
    spec: {containers: [{name: xgboost, ports: [{name: xgboost-port, containerPort: 9991}]}]}
)");
  world.job.at("metadata").get_object().erase("annotations");
  EXPECT_FALSE(world.plan().needs_port);
  world.settle();
  EXPECT_EQ(variables(world, "master-0")["MASTER_PORT"], "9991");
}

TEST(XGBoostTrainingJob, EndsWithTheMaster) {
  World world(kKind, R"(
replicaSpecs:
- {type: worker, template: {spec: {containers: [{name: xgboost}]}}}
- {type: master, restartPolicy: Never, template: {spec: {containers: [{name: xgboost}]}}}
)");
  world.settle();
  world.end_pod("worker-0", 0);
  world.settle();
  EXPECT_NE(world.phase(), "Succeeded");
  world.end_pod("master-0", 1);
  world.settle();
  EXPECT_EQ(world.phase(), "Failed");
}

}  // namespace
}  // namespace trainyard::jobs
