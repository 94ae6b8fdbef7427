#include "jobs/engine/form/names.h"
#include "jobs/kubeflow/test_kubeflow.h"

#include <gtest/gtest.h>

namespace trainyard::jobs {
namespace {

TEST(PyTorchJob, TellsEveryPodWhereTheMasterIsAndWhoItIs) {
  World world = pytorch_job({"Master: {replicas: 1}", "Worker: {replicas: 2}"});
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(env_of(world, "worker-1"),
            "PYTHONUNBUFFERED=1\n"
            "MASTER_PORT=29500\nPET_MASTER_PORT=29500\n"
            "MASTER_ADDR=mnist-master-0\nPET_MASTER_ADDR=mnist-master-0\n"
            "WORLD_SIZE=3\nRANK=2\nPET_NPROC_PER_NODE=auto\nPET_NODE_RANK=2\nPET_NNODES=3\n");
  EXPECT_NE(env_of(world, "master-0").find("MASTER_ADDR=mnist-master-0\n"), std::string::npos);
  EXPECT_NE(env_of(world, "master-0").find("\nRANK=0\n"), std::string::npos);
}

TEST(PyTorchJob, ANumberOfProcessesAPodMakesTheWorldLarger) {
  World world = pytorch_job({"Master: {}", "Worker: {replicas: 1}"}, "{}", "nprocPerNode: \"4\"\n");
  ASSERT_TRUE(world.settle());
  const std::string env = env_of(world, "worker-0");
  EXPECT_NE(env.find("WORLD_SIZE=8\n"), std::string::npos) << env;
  EXPECT_NE(env.find("PET_NPROC_PER_NODE=4\n"), std::string::npos) << env;
}

TEST(PyTorchJob, WorkersWithoutAMasterOnlyLearnHowManyTheyAre) {
  World world = pytorch_job({"Worker: {replicas: 2}"});
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(env_of(world, "worker-0"), "PYTHONUNBUFFERED=1\nPET_NNODES=2\n");
}

TEST(PyTorchJob, ElasticWorkersMeetAtTheFirst) {
  World world = pytorch_job({"Worker: {replicas: 2}"}, "{}",
                            "elasticPolicy: {minReplicas: 1, maxReplicas: 3, maxRestarts: 7, "
                            "rdzvConf: [{key: timeout, value: \"60\"}]}\n");
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(env_of(world, "worker-0"),
            "PYTHONUNBUFFERED=1\n"
            "PET_RDZV_ENDPOINT=mnist-worker-0:29500\nPET_RDZV_BACKEND=c10d\nPET_NNODES=1:3\n"
            "PET_MAX_RESTARTS=7\nPET_RDZV_ID=mnist\nPET_RDZV_CONF=timeout=60,is_host=1\n");
  EXPECT_NE(env_of(world, "worker-1").find("PET_RDZV_CONF=timeout=60,is_host=0\n"),
            std::string::npos);
  EXPECT_EQ(kPyTorchJob.read(world.job).least_replicas, 1);
}

TEST(PyTorchJob, ElasticBoundsThatAreMissingAreTheNumberOfWorkers) {
  World world = pytorch_job({"Worker: {replicas: 2}"}, "{}", "elasticPolicy: {}\n");
  ASSERT_TRUE(world.settle());
  EXPECT_NE(env_of(world, "worker-0").find("PET_NNODES=2:2\n"), std::string::npos);
}

TEST(PyTorchJob, ADeclaredPortIsKept) {
  World world(kPyTorchJob,
              "pytorchReplicaSpecs: {Master: {template: {spec: {containers: [{name: pytorch, "
              "image: i, ports: [{name: pytorchjob-port, containerPort: 4444}]}]}}}}");
  ASSERT_TRUE(world.settle());
  EXPECT_NE(env_of(world, "master-0").find("MASTER_PORT=4444\n"), std::string::npos);
  const JsonArray services = [&] {
    JsonArray all;
    for (Json& one : kPyTorchJob.make_services(world.job, kPyTorchJob.read(world.job))) {
      all.push_back(std::move(one));
    }
    return all;
  }();
  EXPECT_EQ(int_at(array_at(services[0], "spec.ports")[0], "port"), 4444);
}

TEST(PyTorchJob, OperatorsVariablesWinOverTheUsersOwn) {
  World world(kPyTorchJob,
              "pytorchReplicaSpecs: {Master: {template: {spec: {containers: [{name: pytorch, "
              "image: i, env: [{name: RANK, value: '7'}, {name: A, value: b}]}]}}}}");
  ASSERT_TRUE(world.settle());
  const std::string env = env_of(world, "master-0");
  EXPECT_EQ(env.find("RANK=7"), std::string::npos) << env;
  EXPECT_TRUE(env.starts_with("A=b\n")) << env;
}

TEST(PyTorchJob, PodsHaveLabelsOfBothFamilies) {
  World world = pytorch_job({"Master: {}", "Worker: {replicas: 1}"});
  ASSERT_TRUE(world.settle());
  const Json& pod = world.pod("master-0");
  const std::pair<const char*, const char*> expected[] = {
      {"training.kubeflow.org/operator-name", "pytorchjob-controller"},
      {"training.kubeflow.org/job-name", "mnist"},
      {"training.kubeflow.org/replica-type", "master"},
      {"training.kubeflow.org/replica-index", "0"},
      {"training.kubeflow.org/job-role", "master"},
      {"group-name", "kubeflow.org"},
      {"job-name", "mnist"},
      {"replica-type", "master"},
      {"replica-index", "0"},
      {"job-role", "master"}};
  for (const auto& [name, value] : expected) EXPECT_EQ(label_of(pod, name), value) << name;
  EXPECT_EQ(label_of(world.pod("worker-0"), "training.kubeflow.org/job-role"), "");
}

TEST(PyTorchJob, EveryPodHasAHeadlessServiceOfItsName) {
  World world = pytorch_job({"Master: {}", "Worker: {replicas: 2}"});
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(world.services,
            (std::set<std::string>{"mnist-master-0", "mnist-worker-0", "mnist-worker-1"}));
  const Json service = kPyTorchJob.make_services(world.job, kPyTorchJob.read(world.job))[2];
  EXPECT_EQ(string_at(service, "spec.clusterIP"), "None");
  for (const auto& label : object_at(service, "spec.selector")) {
    EXPECT_EQ(label_of(world.pod("worker-1"), std::string(label.key()).c_str()),
              label.value().as_string())
        << label.key();
    EXPECT_TRUE(label.key() == "training.kubeflow.org/replica-index" ||
                label_of(world.pod("worker-0"), std::string(label.key()).c_str()) ==
                    label.value().as_string());
  }
  EXPECT_EQ(find(world.pod("worker-1"), "spec.subdomain"), nullptr);
}

TEST(PyTorchJob, TheSchedulingPolicyIsThePodGroups) {
  World world = pytorch_job({"Master: {}", "Worker: {replicas: 3}"},
                            "{schedulingPolicy: {minAvailable: 2, queue: vision, priorityClass: "
                            "high, minResources: {cpu: 2}}}");
  const Json group = kPyTorchJob.make_pod_group(world.job, kPyTorchJob.read(world.job));
  EXPECT_EQ(
      to_text(*find(group, "spec")),
      R"({"minMember":2,"queue":"vision","minResources":{"cpu":2},"priorityClassName":"high"})");
  World plain = pytorch_job({"Master: {}", "Worker: {replicas: 3}"});
  const Json usual = kPyTorchJob.make_pod_group(plain.job, kPyTorchJob.read(plain.job));
  EXPECT_EQ(to_text(*find(usual, "spec")), R"({"minMember":4,"queue":"default"})");
}

TEST(PyTorchJob, AnElasticMasterHasAPortOfItsOwn) {
  World world = pytorch_job({"Master: {}", "Worker: {replicas: 1}"}, "{}",
                            "elasticPolicy: {maxReplicas: 2}\n");
  EXPECT_EQ(kPyTorchJob.read(world.job).meeting.ports, 2);
  ASSERT_TRUE(world.settle());
  const std::string env = env_of(world, "worker-0");
  EXPECT_NE(env.find("MASTER_PORT=29500\n"), std::string::npos) << env;
  EXPECT_NE(env.find("PET_RDZV_ENDPOINT=mnist-worker-0:29501\n"), std::string::npos) << env;
}

}  // namespace
}  // namespace trainyard::jobs
