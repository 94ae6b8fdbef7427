// The pods of a PyTorchTrainingJob: T9k's contract, sections 1.9 and 2.
#include "jobs/pytorch_training_job.h"

#include "jobs/engine/form/names.h"
#include "object/yaml/yaml.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace trainyard::jobs {
namespace {

constexpr std::int64_t kPort = 29500;

Json job(const std::string& spec) {
  Json object{{"apiVersion", "batch.tensorstack.dev/v1beta1"},
              {"kind", "PyTorchTrainingJob"},
              {"metadata",
               {{"name", "mnist"},
                {"namespace", "demo"},
                {"uid", "cffea855-5ce2-496a-8956-f6e76fe2f565"}}}};
  object.get_object()["spec"] = *parse_json_or_yaml(spec);
  return object;
}

Json parameter_server() {
  return job(R"yaml(
replicaSpecs:
- type: ps
  template: {spec: {containers: [{name: main, command: [serve]}]}}
- type: worker
  replicas: 4
  template:
    metadata: {labels: {team: vision}, annotations: {note: keep}}
    spec:
      containers:
      - {name: sidecar, command: [ship-logs]}
      - name: python
        command: [train, --master, "$(MASTER_ADDR):$(MASTER_PORT)"]
        env: [{name: LR, value: "0.1"}, {name: RANK_FILE, value: /tmp/$(RANK)}]
)yaml");
}

Json torchrun(const std::string& config) {
  return job(R"(
torchrunConfig: )" +
             config + R"(
replicaSpecs:
- type: node
  replicas: 3
  template: {spec: {containers: [{name: main, command: [ignored], args: [fit.py, --epochs, "4"]}]}}
)");
}

Json pod_of(const Json& object, Replica replica) {
  const PyTorchTrainingJob kind;
  return kind.make_pod(object, kind.read(object), replica, kPort);
}

/// The named container of a pod.
Json container(const Json& pod, std::string_view name) {
  for (const Json& one : array_at(pod, "spec.containers")) {
    if (string_at(one, "name") == name) return one;
  }
  return nullptr;
}

std::string words(const Json& list) {
  std::string line;
  for (const Json& word : list.as_array()) {
    line += (line.empty() ? "" : " ") + to_string(word.as_string());
  }
  return line;
}

std::string variables(const Json& from) {
  std::string line;
  for (const Json& variable : array_at(from, "env")) {
    line += fmt::format("{}{}={}", line.empty() ? "" : " ", string_at(variable, "name"),
                        string_at(variable, "value"));
  }
  return line;
}

TEST(JobNames, TheSuffixIsFiveHexDigitsOfTheHashOfNameAndUid) {
  EXPECT_EQ(job_suffix(parameter_server()), "40c14");
}

TEST(JobNames, PodsAreNamedByJobSuffixTypeAndIndex) {
  const Json object = parameter_server();
  const JobForm form = PyTorchTrainingJob().read(object);
  EXPECT_EQ(pod_name(object, form, {1, 3, 4}), "mnist-40c14-worker-3");
}

TEST(JobNames, TheMasterHostIsRankZeroAlsoWhenTheFirstGroupIsEmpty) {
  Json object = parameter_server();
  EXPECT_EQ(master_host(object, PyTorchTrainingJob().read(object)), "mnist-40c14-ps-0.mnist-40c14");
  make_path(object.at("spec").at("replicaSpecs").at(0), "replicas") = 0;
  EXPECT_EQ(master_host(object, PyTorchTrainingJob().read(object)),
            "mnist-40c14-worker-0.mnist-40c14");
}

TEST(PyTorchTrainingJob, ReadsItsSpecWithTheContractsDefaults) {
  const JobForm form = PyTorchTrainingJob().read(parameter_server());
  ASSERT_EQ(form.groups.size(), 2U);
  EXPECT_EQ(form.groups[0].replicas, 1);
  EXPECT_EQ(form.groups[0].restart, RestartPolicy::kOnFailure);
  EXPECT_EQ(form.total_replicas(), 5);
  EXPECT_EQ(form.limits.backoff, 3);
  EXPECT_EQ(form.ends.clean_up, CleanUp::kNone);
  EXPECT_FALSE(form.limits.deadline);
}

TEST(PyTorchTrainingJob, ReadsTheRunPolicy) {
  const JobForm form = PyTorchTrainingJob().read(job(R"(
runPolicy: {backoffLimit: 0, cleanUpPolicy: Unfinished, activeDeadlineSeconds: 7200}
replicaSpecs:
- {type: a, restartPolicy: Never}
- {type: b, restartPolicy: Always}
- {type: c, restartPolicy: ExitCode}
)"));
  EXPECT_EQ(form.limits.backoff, 0);
  EXPECT_EQ(form.ends.clean_up, CleanUp::kUnfinished);
  EXPECT_EQ(form.limits.deadline, std::chrono::hours(2));
  EXPECT_EQ(form.groups[0].restart, RestartPolicy::kNever);
  EXPECT_EQ(form.groups[1].restart, RestartPolicy::kAlways);
  EXPECT_EQ(form.groups[2].restart, RestartPolicy::kExitCode);
}

TEST(PyTorchTrainingJob, TheRendezvousStandsBeforeTheUsersVariables) {
  const Json pod = pod_of(parameter_server(), {1, 2, 3});
  EXPECT_EQ(variables(container(pod, "python")),
            "MASTER_ADDR=mnist-40c14-ps-0.mnist-40c14 MASTER_PORT=29500 RANK=3 WORLD_SIZE=5 "
            "LOCAL_RANK=0 LR=0.1 RANK_FILE=/tmp/$(RANK)");
}

TEST(PyTorchTrainingJob, TrainsInTheContainerNamedPythonElseInTheFirst) {
  const Json worker = pod_of(parameter_server(), {1, 0, 1});
  EXPECT_EQ(variables(container(worker, "sidecar")), "");
  EXPECT_NE(variables(container(worker, "python")), "");
  const Json server = pod_of(parameter_server(), {0, 0, 0});
  EXPECT_TRUE(variables(container(server, "main")).starts_with("MASTER_ADDR="));
}

TEST(PyTorchTrainingJob, WithoutTorchrunTheCommandStaysAsWritten) {
  const Json pod = pod_of(parameter_server(), {1, 0, 1});
  EXPECT_EQ(words(container(pod, "python").at("command")),
            "train --master $(MASTER_ADDR):$(MASTER_PORT)");
}

TEST(PyTorchTrainingJob, KeepsTheTemplatesLabelsAndAnnotations) {
  const Json pod = pod_of(parameter_server(), {1, 0, 1});
  EXPECT_EQ(label_of(pod, "team"), "vision");
  EXPECT_EQ(annotation_of(pod, "note"), "keep");
}

TEST(PyTorchTrainingJob, TorchrunReplacesTheCommandAndRunsTheArgs) {
  const Json object =
      torchrun(R"({enabled: true, procPerNode: "2", maxRestarts: 5, extraOptions: [--tee, "3"]})");
  const Json main = container(pod_of(object, {0, 1, 1}), "main");
  EXPECT_EQ(words(main.at("command")),
            "torchrun --nnodes 3 --nproc_per_node 2 --rdzv_backend c10d --rdzv_endpoint "
            "mnist-40c14-node-0.mnist-40c14:29500 --rdzv_id mnist --rdzv_conf is_host=0 "
            "--max_restarts 5 --role node --tee 3");
  EXPECT_EQ(words(main.at("args")), "fit.py --epochs 4");
  EXPECT_EQ(variables(main).find("LOCAL_RANK"), std::string::npos) << "torchrun sets it itself";
}

TEST(PyTorchTrainingJob, TorchrunHasTheContractsDefaults) {
  const Json main = container(pod_of(torchrun("{enabled: true}"), {0, 0, 0}), "main");
  EXPECT_EQ(words(main.at("command")),
            "torchrun --nnodes 3 --nproc_per_node 1 --rdzv_backend c10d --rdzv_endpoint "
            "mnist-40c14-node-0.mnist-40c14:29500 --rdzv_id mnist --rdzv_conf is_host=1 "
            "--max_restarts 3 --role node");
}

TEST(PyTorchTrainingJob, OnlyTheC10dStoreIsKeptByAPod) {
  const Json main =
      container(pod_of(torchrun("{enabled: true, rdzvBackend: etcd-v2}"), {0, 0, 0}), "main");
  EXPECT_EQ(words(main.at("command")).find("is_host"), std::string::npos);
}

TEST(PyTorchTrainingJob, ADisabledTorchrunConfigChangesNothing) {
  const Json main = container(pod_of(torchrun("{enabled: false}"), {0, 0, 0}), "main");
  EXPECT_EQ(words(main.at("command")), "ignored");
}

}  // namespace
}  // namespace trainyard::jobs
