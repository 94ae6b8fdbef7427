#include "server/job_rules/job_rules.h"

#include "server/test_examples.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace trainyard::server {
namespace {

const std::string kTorchrun = "pytorchtrainingjob-torchrun.yaml";
const std::string kPs = "pytorchtrainingjob-ps.yaml";
const std::string kTensorFlow = "tensorflowtrainingjob.yaml";
const std::string kXgboost = "xgboosttrainingjob.yaml";
const std::string kGeneric = "genericjob.yaml";
const std::string kMpi = "mpijob-t9k.yaml";
const std::string kOlderMpi = "mpijob-t9k-older.yaml";
const std::string kPyTorchJob = "pytorchjob.yaml";
const std::string kElasticJob = "pytorchjob-elastic.yaml";
const std::string kTfJob = "tfjob.yaml";
const std::string kMpiV2 = "mpijob-kubeflow.yaml";

// What all job kinds share.

TEST(JobRules, PodNamesMustFitIntoAHostName) {
  // birds-ddp has 3 workers, and may grow to 4: <job>-<5 digits>-worker-3 leaves 48 for the job.
  const std::string longest(63 - 6 - 9, 'a');
  expect_accepted({{kTorchrun, "metadata.name", longest},
                   {kMpi, "metadata.name", longest},
                   {kPyTorchJob, "metadata.name", std::string(63 - 9, 'a')},
                   {kMpiV2, "metadata.name", std::string(63 - 9, 'a')}});
  const auto fault = [](const std::string& name, const char* type) {
    return fmt::format(
        "metadata.name: Invalid value: \"{}\": the pods' names, made of it and the "
        "replica type \"{}\", would exceed 63 characters: shorten one",
        name, type);
  };
  expect_faults({{kTorchrun, "metadata.name", longest + "a", fault(longest + "a", "worker")},
                 {kOlderMpi, "metadata.name", longest + "a", fault(longest + "a", "worker")}});
  const std::string longer(63 - 9 + 1, 'a');
  expect_faults({{kPyTorchJob, "metadata.name", longer,
                  fault(longer, "Master") + "\n" + fault(longer, "Worker")},
                 {kMpiV2, "metadata.name", longer,
                  fault(longer, "Launcher") + "\n" + fault(longer, "Worker")}});
}

TEST(JobRules, TheIndexCountsTowardsTheLengthOfPodNames) {
  Json job = changed(example(kXgboost), "metadata.name", std::string(63 - 6 - 9, 'a'));
  EXPECT_TRUE(admit_strictly(changed(job, "spec.replicaSpecs[1].replicas", "10")));
  EXPECT_FALSE(admit_strictly(changed(job, "spec.replicaSpecs[1].replicas", "11")));
  job = changed(example(kElasticJob), "metadata.name", std::string(63 - 9, 'a'));
  EXPECT_TRUE(admit_strictly(changed(job, "spec.elasticPolicy.maxReplicas", "10")));
  EXPECT_FALSE(admit_strictly(changed(job, "spec.elasticPolicy.maxReplicas", "11")));
}

TEST(JobRules, JobsAreNamedSoThatServicesCanBe) {
  for (const std::string& name : {kTorchrun, kGeneric, kMpi, kTfJob, kMpiV2}) {
    for (const char* bad : {"\"3d\"", "a.b"}) {
      const auto refused = admit_strictly(changed(example(name), "metadata.name", bad));
      ASSERT_TRUE(refused.failed_with(Code::kInvalid)) << name << bad;
      EXPECT_EQ(refused.error().causes().size(), 1U) << faults_of(refused);
      EXPECT_NE(faults_of(refused).find("a DNS-1035 label must"), std::string::npos);
    }
  }
}

TEST(JobRules, ABadNameIsToldOfOnce) {
  const auto refused = admit_strictly(changed(example(kTorchrun), "metadata.name", "Upper"));
  EXPECT_EQ(refused.error().causes().size(), 1U) << faults_of(refused);
}

TEST(JobRules, AJobHasBetweenOneAndManyPods) {
  expect_faults({{kTorchrun, "spec.replicaSpecs[0].replicas", "0",
                  "spec.replicaSpecs: Invalid value: 0: a job needs at least one replica"},
                 {kPs, "spec.replicaSpecs[1].replicas", "9999",
                  "spec.replicaSpecs: Too many: 10000: a job may have 9999 replicas in all"},
                 {kElasticJob, "spec.pytorchReplicaSpecs[Worker].replicas", "0",
                  "spec.pytorchReplicaSpecs: Invalid value: 0: a job needs at least one replica"},
                 {kPyTorchJob, "spec.pytorchReplicaSpecs", "{}",
                  "spec.pytorchReplicaSpecs: Invalid value: 0: a job needs at least one replica"}});
}

TEST(JobRules, EveryGroupNeedsAPod) {
  const std::string required =
      ".template.spec.containers: Required value: must have at least one "
      "container";
  expect_faults(
      {{kTorchrun, "spec.replicaSpecs[0].template", "{}", "spec.replicaSpecs[0]" + required},
       {kMpi, "spec.replicaSpecs[1].template", "{}", "spec.replicaSpecs[1]" + required},
       {kOlderMpi, "spec.worker.template", "{}", "spec.worker" + required},
       {kPyTorchJob, "spec.pytorchReplicaSpecs[Worker].template", "{}",
        "spec.pytorchReplicaSpecs[Worker]" + required},
       {kMpiV2, "spec.mpiReplicaSpecs[Launcher].template", "",
        "spec.mpiReplicaSpecs[Launcher]" + required}});
}

TEST(JobRules, PodsOfJobsAreCheckedAsPodsAre) {
  const std::string mounts = "[{name: lost, mountPath: /x}]";
  const std::string fault = ".volumeMounts[0].name: Not found: \"lost\"";
  for (const auto& [name, path] : std::vector<std::pair<std::string, std::string>>{
           {kTorchrun, "spec.replicaSpecs[0].template.spec.containers[0]"},
           {kGeneric, "spec.replicaSpecs[1].template.spec.containers[0]"},
           {kMpi, "spec.replicaSpecs[1].template.spec.containers[0]"},
           {kOlderMpi, "spec.worker.template.spec.containers[0]"},
           {kTfJob, "spec.tfReplicaSpecs[PS].template.spec.containers[0]"},
           {kMpiV2, "spec.mpiReplicaSpecs[Launcher].template.spec.containers[0]"},
           {"notebook.yaml", "spec.template.spec.containers[0]"}}) {
    const auto refused = admit_strictly(changed(example(name), path + ".volumeMounts", mounts));
    EXPECT_NE(faults_of(refused).find(path + fault), std::string::npos)
        << name << ": " << faults_of(refused);
  }
}

TEST(JobRules, AllFaultsAreToldAtOnce) {
  Json job = changed(example(kTfJob), "spec.tfReplicaSpecs[Chief].replicas", "2");
  job = changed(job, "spec.tfReplicaSpecs[PS].template.spec.containers[0].name", "main");
  job = changed(job, "spec.runPolicy.managedBy", "me");
  const auto refused = admit_strictly(job);
  ASSERT_TRUE(refused.failed_with(Code::kInvalid));
  EXPECT_EQ(refused.error().causes().size(), 3U) << faults_of(refused);
}

// T9k's run mode.

TEST(JobRules, RunModeSpeaksOfTypesThatTheJobHas) {
  const std::string why = "Not found: \"node\": the job has no such replica type";
  expect_faults({{kPs, "spec.runMode.debug.replicaSpecs[0].type", "node",
                  "spec.runMode.debug.replicaSpecs[0].type: " + why},
                 {kTorchrun, "spec.runMode.pause.resumeSpecs[0].type", "node",
                  "spec.runMode.pause.resumeSpecs[0].type: " + why},
                 {kMpi, "spec.runMode.debug.replicaSpecs", "[{type: node}]",
                  "spec.runMode.debug.replicaSpecs[0].type: " + why}});
  expect_accepted(
      {{kMpi, "spec.runMode.debug.replicaSpecs", "[{type: launcher}, {type: worker}]"}});
}

TEST(JobRules, PauseMayBeFlippedAndDebugMayNot) {
  expect_change_accepted({{kTorchrun, "spec.runMode.pause.enabled", "true"},
                          {kXgboost, "spec.runMode", "{pause: {enabled: true}}"},
                          {kXgboost, "spec.runMode", "{debug: {enabled: false}}"},
                          {kXgboost, "spec.runMode", "{debug: {replicaSpecs: []}}"},
                          {kMpi, "spec.runMode.pause.enabled", "true"}});
  expect_change_refused({{kPs, "spec.runMode.debug.enabled", "false"},
                         {kGeneric, "spec.runMode.debug.enable", "true"},
                         {kPs, "spec.runMode.debug.replicaSpecs[0].command", "[sh]"},
                         {kTorchrun, "spec.runMode.pause.resumeSpecs[0].args", "[other.py]"}},
                        "Forbidden: cannot be changed once the job exists");
}

// PyTorchTrainingJob.

TEST(JobRules, TorchrunNeedsArgs) {
  const std::string args = "spec.replicaSpecs[0].template.spec.containers[0].args";
  const std::string fault =
      args +
      ": Required value: with torchrunConfig.enabled the script and its arguments are given "
      "here; command is not used";
  expect_faults({{kTorchrun, args, "", fault}});
  Json older = changed(example(kTorchrun), "spec.torchrunConfig.enabled", "");
  older = changed(older, "spec.torchrunConfig.enable", "true");
  EXPECT_EQ(faults_of(admit_strictly(changed(older, args, ""))), fault) << "the older spelling";
}

TEST(JobRules, TorchrunNeedsNoArgsInDebugMode) {
  Json job = changed(example(kTorchrun), "spec.runMode.debug.enabled", "true");
  job = changed(job, "spec.replicaSpecs[0].template.spec.containers[0].args", "");
  EXPECT_EQ(faults_of(admit_strictly(job)), "accepted");
}

TEST(JobRules, TorchrunRunsTheContainerNamedPython) {
  Json job = changed(example(kPs), "spec.torchrunConfig.enabled", "true");
  job = changed(job, "spec.runMode", "");
  EXPECT_NE(faults_of(admit_strictly(job))
                .find("spec.replicaSpecs[1].template.spec.containers[1].args: Required value"),
            std::string::npos);
}

TEST(JobRules, ElasticJobsHaveBounds) {
  expect_faults(
      {{kTorchrun, "spec.elastic", "{enabled: true}",
        "spec.elastic.minReplicas: Required value: elastic jobs need it\n"
        "spec.elastic.maxReplicas: Required value: elastic jobs need it"},
       {kTorchrun, "spec.elastic.minReplicas", "5",
        "spec.elastic.maxReplicas: Invalid value: 4: must be greater than or equal to minReplicas, "
        "which is 5"},
       {kTorchrun, "spec.elastic.expectedReplicas", "5",
        "spec.elastic.expectedReplicas: Invalid value: 5: must be between minReplicas and "
        "maxReplicas: 1 to 4"}});
  expect_accepted({{kTorchrun, "spec.elastic.expectedReplicas", ""},
                   {kTorchrun, "spec.elastic", "{enabled: false, minReplicas: 3, maxReplicas: 1}"},
                   {kTorchrun, "spec.elastic", "{}"}});
}

TEST(JobRules, WhatHasNoEffectIsWarnedOf) {
  const auto warnings = [](const Json& job) {
    return warn_of_job(*kind_of(kPyTorchTrainingJobs), job);
  };
  EXPECT_TRUE(warnings(example(kTorchrun)).empty());
  ASSERT_EQ(warnings(changed(example(kTorchrun), "spec.torchrunConfig", "{}")).size(), 1U);
  EXPECT_EQ(warnings(changed(example(kTorchrun), "spec.torchrunConfig", "{}"))[0],
            "spec.elastic.enabled: has no effect without spec.torchrunConfig.enabled: the job has "
            "the replicas of spec.replicaSpecs");
  EXPECT_EQ(warnings(changed(example(kTorchrun), "spec.torchrunConfig.minNodes", "2")).size(), 1U);
  EXPECT_TRUE(warn_of_job(*kind_of(kPods), example(kTorchrun)).empty());
}

TEST(JobRules, OnlyTheWishOfAnElasticJobMayChange) {
  expect_change_accepted({{kTorchrun, "spec.elastic.expectedReplicas", "2"}});
  expect_change_refused({{kTorchrun, "spec.elastic.minReplicas", "2"},
                         {kTorchrun, "spec.elastic.maxReplicas", "5"},
                         {kTorchrun, "spec.elastic.enabled", "false"},
                         {kPs, "spec.elastic", "{enabled: true, minReplicas: 1, maxReplicas: 2}"}},
                        "Forbidden: cannot be changed once the job exists");
  const auto refused = admit_change(example(kTorchrun), "spec.elastic.expectedReplicas", "9");
  EXPECT_TRUE(refused.failed_with(Code::kInvalid));
}

TEST(JobRules, WhatPodsAreMadeOfCannotChange) {
  expect_change_refused({{kTorchrun, "spec.replicaSpecs[0].replicas", "2"},
                         {kTorchrun, "spec.runPolicy.restartScope", "Replica"},
                         {kTorchrun, "spec.torchrunConfig.procPerNode", "\"4\""},
                         {kTensorFlow, "spec.replicaSpecs[0].restartPolicy", "Never"},
                         {kGeneric, "spec.service.ports[0].port", "7002"},
                         {kMpi, "spec.mpiConfig.script", "[other]"},
                         {kMpi, "spec.ssh.sshdPath", "/sbin/sshd"},
                         {kOlderMpi, "spec.worker.replicas", "6"},
                         {kOlderMpi, "spec.mca", ""},
                         {kOlderMpi, "spec.mpiHome", "/opt/mpi"}},
                        "Forbidden: cannot be changed once the job exists: delete the job and "
                        "create it anew");
  expect_change_accepted({{kTorchrun, "spec.runPolicy.backoffLimit", "9"},
                          {kTorchrun, "metadata.labels", "{team: vision}"},
                          {kGeneric, "spec.cleanUpPolicy", "All"},
                          {kMpi, "spec.runPolicy.cleanUpWorkers", "false"}});
}

// TensorFlowTrainingJob and XGBoostTrainingJob.

TEST(JobRules, TrainingKindsNameTheContainerThatTrains) {
  const std::string path = "spec.replicaSpecs[1].template.spec.containers";
  expect_faults({{kTensorFlow, path + "[0].name", "main",
                  path + ": Required value: must have a container named tensorflow, which does the "
                         "work"},
                 {kXgboost, path + "[0].name", "main",
                  path + ": Required value: must have a container named xgboost, which does the "
                         "work"}});
}

TEST(JobRules, ATensorFlowJobHasOneMaster) {
  expect_faults(
      {{kTensorFlow, "spec.replicaSpecs[0].replicas", "2",
        "spec.replicaSpecs[0].replicas: Invalid value: 2: must be 1: a job has one chief"}});
  Json no_master = example(kTensorFlow);
  JsonArray& groups = place(no_master, "spec.replicaSpecs").get_array();
  groups.erase(groups.begin());
  EXPECT_EQ(faults_of(admit_strictly(no_master)), "accepted") << "worker 0 is the master";
  groups.erase(groups.begin() + 1);
  EXPECT_EQ(faults_of(admit_strictly(no_master)),
            "spec.replicaSpecs: Required value: must have a chief or a worker, whose end decides "
            "the job's");
}

TEST(JobRules, AnXgboostJobHasExactlyOneMaster) {
  expect_faults({{kXgboost, "spec.replicaSpecs[0].replicas", "2",
                  "spec.replicaSpecs[0].replicas: Invalid value: 2: must be 1: a job has one "
                  "master"}});
  Json no_master = example(kXgboost);
  JsonArray& groups = place(no_master, "spec.replicaSpecs").get_array();
  groups.erase(groups.begin());
  EXPECT_EQ(faults_of(admit_strictly(no_master)),
            "spec.replicaSpecs: Required value: must have one of type master");
}

TEST(JobRules, ReplicaTypesAreThoseOfTheKind) {
  for (const std::string& name : {kTensorFlow, kXgboost, kMpi}) {
    const auto refused =
        admit_strictly(changed(example(name), "spec.replicaSpecs[1].type", "node"));
    EXPECT_NE(faults_of(refused).find("spec.replicaSpecs[1].type: Unsupported value: \"node\""),
              std::string::npos)
        << faults_of(refused);
  }
}

// GenericJob.

TEST(JobRules, EndRulesNamePodsThatExist) {
  const std::string rule = "spec.successRules[0]";
  expect_faults(
      {{kGeneric, rule, "{}",
        rule + ": Required value: must name at least one pod, for example {worker: [0]}"},
       {kGeneric, rule, "{server: []}",
        rule + ".server: Required value: must name at least one pod by its index"},
       {kGeneric, rule, "{node: [0]}",
        rule + ".node: Not found: \"node\": the job has no such replica type"},
       {kGeneric, rule, "{client: [0, 2]}",
        rule + ".client[1]: Invalid value: 2: must be the index of a pod of type \"client\", which "
               "has 2"},
       {kGeneric, "spec.failureRules[1]", "{client: [-1]}",
        "spec.failureRules[1].client[0]: Invalid value: -1: must be the index of a pod of type "
        "\"client\", which has 2"},
       {kGeneric, rule, "{client: [\"one\"]}",
        rule + ".client[0]: Invalid value: \"one\": must be the index of a pod of type \"client\", "
               "which has 2"}});
  expect_accepted(
      {{kGeneric, rule, "{client: [0, \"1\"], server: [0]}"}, {kGeneric, "spec.successRules", ""}});
}

TEST(JobRules, PortsOfGenericJobsCanBeToldApart) {
  expect_faults({{kGeneric, "spec.service.ports[1].name", "",
                  "spec.service.ports[1].name: Required value: ports have names where there are "
                  "several"},
                 {kGeneric, "spec.service.ports[1].name", "rpc",
                  "spec.service.ports[1].name: Duplicate value: \"rpc\""}});
  expect_accepted(
      {{kGeneric, "spec.service.ports", "[{port: 80}]"}, {kGeneric, "spec.service", "{}"}});
}

// T9k's MPIJob.

TEST(JobRules, AnMpiJobHasOneForm) {
  expect_faults(
      {{kMpi, "spec.worker", "{template: {}}",
        "spec.worker: Forbidden: not together with spec.replicaSpecs: it is the older "
        "form of the same"},
       {kMpi, "spec.replicaSpecs", "",
        "spec.replicaSpecs: Required value: must have one of type worker"},
       {kOlderMpi, "spec.mpiConfig", "{script: [x]}",
        "spec.mpiConfig: Forbidden: not together with spec.worker, the older form, which "
        "has mca, mpiHome, worker.cmd and worker.extraMPIArgs instead"},
       {kMpi, "spec.mca", "{btl: self}",
        "spec.mca: Forbidden: not together with spec.mpiConfig.mca, which means the same"},
       {kMpi, "spec.mpiHome", "/opt",
        "spec.mpiHome: Forbidden: not together with spec.mpiConfig.home, which means the "
        "same"}});
  EXPECT_EQ(faults_of(admit_strictly(changed(changed(example(kMpi), "spec.mpiConfig.mca", ""),
                                             "spec.mca", "{btl: self}"))),
            "accepted")
      << "the older place of mca is understood in the newer form too";
}

TEST(JobRules, AnMpiJobHasAProgram) {
  expect_faults({{kMpi, "spec.mpiConfig.script", "",
                  "spec.mpiConfig.script: Required value: the program that mpirun starts"},
                 {kOlderMpi, "spec.worker.cmd", "",
                  "spec.worker.cmd: Required value: the program that mpirun starts"}});
  Json debugged = changed(example(kMpi), "spec.runMode.debug.enabled", "true");
  EXPECT_EQ(faults_of(admit_strictly(changed(debugged, "spec.mpiConfig.script", ""))), "accepted");
}

TEST(JobRules, AnMpiJobHasWorkersAndOneLauncher) {
  expect_faults({{kMpi, "spec.replicaSpecs[0].replicas", "2",
                  "spec.replicaSpecs[0].replicas: Invalid value: 2: must be 1: a job has one "
                  "launcher"},
                 {kMpi, "spec.replicaSpecs[1].replicas", "0",
                  "spec.replicaSpecs[1].replicas: Invalid value: 0: must be greater than or equal "
                  "to 1"},
                 {kOlderMpi, "spec.worker.replicas", "0",
                  "spec.worker.replicas: Invalid value: 0: must be greater than or equal to 1"}});
  Json job = example(kMpi);
  JsonArray& groups = place(job, "spec.replicaSpecs").get_array();
  const Json launcher = groups.front();
  groups.erase(groups.begin());
  EXPECT_EQ(faults_of(admit_strictly(job)), "accepted") << "the launcher is made";
  groups.front() = launcher;
  EXPECT_EQ(faults_of(admit_strictly(job)),
            "spec.replicaSpecs: Required value: must have one of type worker");
}

TEST(JobRules, MpiWorkersHaveAContainerOfEitherName) {
  const std::string newer = "spec.replicaSpecs[1].template.spec.containers";
  const std::string older = "spec.worker.template.spec.containers";
  expect_faults(
      {{kMpi, newer + "[0].name", "main",
        newer + ": Required value: must have a container named worker, which does the "
                "work"},
       {kOlderMpi, older + "[0].name", "main",
        older + ": Required value: must have a container named mpi-worker, which does the "
                "work"}});
  expect_accepted(
      {{kMpi, newer + "[0].name", "mpi-worker"}, {kOlderMpi, older + "[0].name", "worker"}});
}

TEST(JobRules, OtherKindsAreNoneOfTheirBusiness) {
  const Kind& pods = *kind_of(kPods);
  EXPECT_TRUE(check_job_rules(pods, make_pod("a"), nullptr).empty());
  EXPECT_TRUE(check_job_update(pods, make_pod("a"), make_pod("b")).empty());
}

}  // namespace
}  // namespace trainyard::server
