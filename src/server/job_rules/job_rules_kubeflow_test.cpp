#include "server/job_rules/job_rules.h"
#include "server/test_examples.h"

#include <gtest/gtest.h>

namespace trainyard::server {
namespace {

const std::string kTorchrun = "pytorchtrainingjob-torchrun.yaml";
const std::string kTensorFlow = "tensorflowtrainingjob.yaml";
const std::string kPyTorchJob = "pytorchjob.yaml";
const std::string kElasticJob = "pytorchjob-elastic.yaml";
const std::string kTfJob = "tfjob.yaml";
const std::string kMpiV2 = "mpijob-kubeflow.yaml";

// Kubeflow's kinds.

TEST(JobRules, KubeflowRolesAreThoseOfTheKind) {
  const std::string pods = "{template: {spec: {containers: [{name: pytorch, image: a}]}}}";
  expect_faults({{kPyTorchJob, "spec.pytorchReplicaSpecs[master]", pods,
                  "spec.pytorchReplicaSpecs[master]: Unsupported value: \"master\": supported "
                  "values: \"Master\", \"Worker\""},
                 {kTfJob, "spec.tfReplicaSpecs[Boss]",
                  "{template: {spec: {containers: [{name: tensorflow, image: a}]}}}",
                  "spec.tfReplicaSpecs[Boss]: Unsupported value: \"Boss\": supported values: "
                  "\"Chief\", \"Master\", \"Worker\", \"PS\", \"Evaluator\""},
                 {kMpiV2, "spec.mpiReplicaSpecs[Master]", pods,
                  "spec.mpiReplicaSpecs[Master]: Unsupported value: \"Master\": supported values: "
                  "\"Launcher\", \"Worker\""}});
}

TEST(JobRules, KubeflowJobsHaveOneMaster) {
  const std::string tf_pod = "{template: {spec: {containers: [{name: tensorflow, image: a}]}}}";
  expect_faults(
      {{kPyTorchJob, "spec.pytorchReplicaSpecs[Master].replicas", "2",
        "spec.pytorchReplicaSpecs[Master].replicas: Invalid value: 2: must be 1: a job "
        "has one Master"},
       {kTfJob, "spec.tfReplicaSpecs[Chief].replicas", "2",
        "spec.tfReplicaSpecs[Chief].replicas: Invalid value: 2: must be 1: a job has one "
        "Chief"},
       {kTfJob, "spec.tfReplicaSpecs[Master]", tf_pod,
        "spec.tfReplicaSpecs: Forbidden: must not have more than 1 Chief or Master role"}});
  expect_accepted({{kPyTorchJob, "spec.pytorchReplicaSpecs[Master].replicas", ""},
                   {kTfJob, "spec.tfReplicaSpecs[Chief]", ""}});
}

TEST(JobRules, KubeflowJobsNameTheContainerThatTrains) {
  const std::string torch = "spec.pytorchReplicaSpecs[Worker].template.spec.containers";
  const std::string tf = "spec.tfReplicaSpecs[PS].template.spec.containers";
  expect_faults({{kPyTorchJob, torch + "[0].name", "main",
                  torch + ": Required value: must have a container named pytorch, which does the "
                          "work"},
                 {kTfJob, tf + "[0].name", "main",
                  tf + ": Required value: must have a container named tensorflow, which does the "
                       "work"}});
}

TEST(JobRules, KubeflowJobsNeedImages) {
  const std::string torch = "spec.pytorchReplicaSpecs[Worker].template.spec.containers[0].image";
  expect_faults(
      {{kPyTorchJob, torch, "", torch + ": Required value: every container needs an image"}});
}

TEST(JobRules, AnElasticPolicyNeedsWorkersAndBounds) {
  Json job = changed(example(kPyTorchJob), "spec.elasticPolicy", "{minReplicas: 1}");
  job = changed(job, "spec.pytorchReplicaSpecs[Worker]", "");
  EXPECT_EQ(
      faults_of(admit_strictly(job)),
      "spec.pytorchReplicaSpecs[Worker]: Required value: must be configured if elastic policy "
      "is used");
  expect_faults({{kElasticJob, "spec.elasticPolicy.minReplicas", "4",
                  "spec.elasticPolicy.maxReplicas: Invalid value: 3: must be greater than or equal "
                  "to minReplicas, which is 4"},
                 {kElasticJob, "spec.elasticPolicy.nProcPerNode", "2",
                  "spec.elasticPolicy.nProcPerNode: Forbidden: must not be used with "
                  "spec.nprocPerNode"}});
  expect_accepted({{kElasticJob, "spec.elasticPolicy", "{}"}});
}

TEST(JobRules, AKubeflowMpiJobHasOneLauncherAndCountedWorkers) {
  const std::string specs = "spec.mpiReplicaSpecs";
  expect_faults(
      {{kMpiV2, specs + "[Launcher]", "",
        specs + "[Launcher]: Required value: must have Launcher replica spec"},
       {kMpiV2, specs + "[Launcher].replicas", "2",
        specs + "[Launcher].replicas: Invalid value: 2: must be 1: a job has one Launcher"},
       {kMpiV2, specs + "[Worker].replicas", "",
        specs + "[Worker].replicas: Required value: must define number of replicas"},
       {kMpiV2, specs + "[Worker].replicas", "0",
        specs + "[Worker].replicas: Invalid value: 0: must be greater than or equal to 1"},
       {kMpiV2, specs + "[Worker].restartPolicy", "ExitCode",
        specs + "[Worker].restartPolicy: Unsupported value: \"ExitCode\": supported "
                "values: \"Never\", \"OnFailure\""}});
  expect_accepted({{kMpiV2, specs + "[Worker]", ""}});
}

TEST(JobRules, KubeflowJobsAreManagedByWhoCanManageThem) {
  expect_faults({{kPyTorchJob, "spec.runPolicy.managedBy", "kubeflow.org/mpi-operator",
                  "spec.runPolicy.managedBy: Unsupported value: \"kubeflow.org/mpi-operator\": "
                  "supported values: \"kubeflow.org/training-operator\", "
                  "\"kueue.x-k8s.io/multikueue\""},
                 {kMpiV2, "spec.runPolicy.managedBy", "me",
                  "spec.runPolicy.managedBy: Unsupported value: \"me\": supported values: "
                  "\"kubeflow.org/mpi-operator\", \"kueue.x-k8s.io/multikueue\""}});
  expect_accepted({{kMpiV2, "spec.runPolicy.managedBy", "kueue.x-k8s.io/multikueue"}});
  expect_change_refused({{kTfJob, "spec.runPolicy.managedBy", "kueue.x-k8s.io/multikueue"},
                         {kMpiV2, "spec.runPolicy.managedBy", "kubeflow.org/mpi-operator"}},
                        "spec.runPolicy.managedBy: Forbidden: field is immutable");
}

TEST(JobRules, TheQueueOfAKubeflowJobIsChosenOnce) {
  expect_change_refused({{kPyTorchJob, "spec.runPolicy.schedulingPolicy.queue", "other"}},
                        "spec.runPolicy.schedulingPolicy.queue: Forbidden: field is immutable");
  expect_change_accepted({{kTfJob, "spec.runPolicy.schedulingPolicy.queue", "other"}});
}

TEST(JobRules, KubeflowJobsCanBeScaledAndSuspended) {
  expect_change_accepted({{kPyTorchJob, "spec.pytorchReplicaSpecs[Worker].replicas", "5"},
                          {kPyTorchJob, "spec.runPolicy.suspend", "true"},
                          {kTfJob, "spec.runPolicy.suspend", "false"},
                          {kMpiV2, "spec.mpiReplicaSpecs[Worker].replicas", "4"}});
}

// What is around jobs.

TEST(JobRules, ATensorBoardHasSomethingToShow) {
  const std::string why =
      "Required value: must name at least one place with event files, in pvc, s3 or http";
  expect_faults(
      {{"tensorboard.yaml", "spec.logDir", "", "spec.logDir: " + why},
       {"tensorboard.yaml", "spec.logDir", "{pvc: []}", "spec.logDir: " + why},
       {kTorchrun, "spec.tensorboardSpec.logDir", "", "spec.tensorboardSpec.logDir: " + why},
       {kTensorFlow, "spec.tensorboardSpec", "{image: a}", "spec.tensorboardSpec.logDir: " + why}});
}

TEST(JobRules, ATensorBoardStaysInItsClaims) {
  const std::string folder = "spec.logDir.pvc[0].subPath[0]";
  expect_faults({{"tensorboard.yaml", folder, "../other",
                  folder + ": Invalid value: \"../other\": must not contain '..'"},
                 {"tensorboard.yaml", folder, "a/..",
                  folder + ": Invalid value: \"a/..\": must not contain '..'"},
                 {kTensorFlow, "spec.tensorboardSpec.logDir.pvc[0].subpath[0]", "..",
                  "spec.tensorboardSpec.logDir.pvc[0].subpath[0]: Invalid value: \"..\": must not "
                  "contain '..'"}});
  expect_accepted({{"tensorboard.yaml", folder, "./a..b/..c"}});
}

TEST(JobRules, ATensorBoardRequestsNoMoreThanItsLimits) {
  const std::string requests = "spec.resources.requests";
  expect_faults({{"tensorboard.yaml", requests, "{memory: 2Gi}",
                  requests + ".memory: Invalid value: \"2Gi\": must be less than or equal to the "
                             "limit of \"1Gi\""},
                 {"tensorboard.yaml", requests, "{cpu: -1}",
                  requests + ".cpu: Invalid value: -1: must be greater than or equal to 0"}});
}

TEST(JobRules, ANotebookHasItsContainer) {
  const std::string containers = "spec.template.spec.containers";
  expect_faults({{"notebook.yaml", containers + "[0].name", "main",
                  containers + ": Required value: must have a container named notebook, which does "
                               "the work"},
                 {"notebook.yaml", "spec.template", "{}", "spec.template.spec: Required value"}});
}

TEST(JobRules, NamesOfNotebooksAndTensorBoardsAreLabels) {
  for (const char* name : {"notebook.yaml", "tensorboard.yaml"}) {
    expect_accepted({{name, "metadata.name", std::string(63, 'a')}});
    const std::string longer(64, 'a');
    expect_faults(
        {{name, "metadata.name", longer,
          "metadata.name: Invalid value: \"" + longer + "\": must be no more than 63 characters"}});
  }
}

TEST(JobRules, AQueueIsEntitledToNoMoreThanItMayHave) {
  expect_faults({{"queue.yaml", "spec.deserved", "{nvidia.com/gpu: 9}",
                  "spec.deserved[nvidia.com/gpu]: Invalid value: 9: must be less than or equal to "
                  "the capability of 8"},
                 {"queue.yaml", "spec.guarantee.resource", "{cpu: 40}",
                  "spec.guarantee.resource.cpu: Invalid value: 40: must be less than or equal to "
                  "the deserved amount of 32"},
                 {"queue.yaml", "spec.capability", "{memory: -1Gi}",
                  "spec.capability.memory: Invalid value: \"-1Gi\": must be greater than or equal "
                  "to 0"},
                 {"queue.yaml", "spec.parent", "vision",
                  "spec.parent: Invalid value: \"vision\": a queue cannot be a part of itself"}});
}

TEST(JobRules, AmountsAreNotNegative) {
  expect_faults({{"podgroup.yaml", "spec.minResources", "{cpu: -6}",
                  "spec.minResources.cpu: Invalid value: -6: must be greater than or equal to 0"},
                 {kPyTorchJob, "spec.runPolicy.schedulingPolicy.minResources", "{cpu: -6}",
                  "spec.runPolicy.schedulingPolicy.minResources.cpu: Invalid value: -6: must be "
                  "greater than or equal to 0"}});
}

}  // namespace
}  // namespace trainyard::server
