#include "cli/start/run_job.h"

#include <gtest/gtest.h>

namespace trainyard::cli {
namespace {

Surroundings here() {
  return {"/home/ann/mnist", {{"PATH", "/venv/bin:/usr/bin"}, {"SECRET", "x"}, {"SEED", "7"}}, 8};
}

RunOptions options(std::vector<std::string> command, std::int64_t replicas = 1) {
  RunOptions made;
  made.command = std::move(command);
  made.replicas = replicas;
  return made;
}

const Json& container(const Json& job) {
  return array_at(array_at(job, "spec.replicaSpecs").front(), "template.spec.containers").front();
}

std::string variable(const Json& job, std::string_view name) {
  for (const Json& entry : array_at(container(job), "env")) {
    if (string_at(entry, "name") == name) return std::string(string_at(entry, "value"));
  }
  return "(not set)";
}

TEST(RunJob, RunsTheCommandInTheCurrentFolderWithTheSamePrograms) {
  const auto job = make_run_job(options({"python", "train.py", "--lr", "3"}, 4), here());
  ASSERT_TRUE(job);
  EXPECT_EQ(string_at(*job, "metadata.generateName"), "train-");
  const Json& group = array_at(*job, "spec.replicaSpecs").front();
  EXPECT_EQ(int_at(group, "replicas"), 4);
  EXPECT_EQ(to_text(*find(container(*job), "command")), R"(["python","train.py","--lr","3"])");
  EXPECT_EQ(string_at(container(*job), "workingDir"), "/home/ann/mnist");
  EXPECT_EQ(string_at(array_at(group, "template.spec.volumes").front(), "hostPath.path"),
            "/home/ann/mnist");
  EXPECT_EQ(variable(*job, "PATH"), "/venv/bin:/usr/bin");
  EXPECT_EQ(variable(*job, "SECRET"), "(not set)") << "only what finds programs is passed on";
}

TEST(RunJob, SharesTheCoresAmongTheProcesses) {
  EXPECT_EQ(variable(*make_run_job(options({"x"}, 4), here()), "OMP_NUM_THREADS"), "2");
  EXPECT_EQ(variable(*make_run_job(options({"x"}, 100), here()), "OMP_NUM_THREADS"), "1");
  Surroundings set = here();
  set.environment["OMP_NUM_THREADS"] = "5";
  EXPECT_EQ(variable(*make_run_job(options({"x"}, 4), set), "OMP_NUM_THREADS"), "5");
}

TEST(RunJob, WithTorchrunIsOneReplicaOfManyProcesses) {
  RunOptions torchrun = options({"python3", "-u", "train.py", "-x"}, 4);
  torchrun.torchrun = true;
  const auto job = make_run_job(torchrun, here());
  ASSERT_TRUE(job);
  EXPECT_EQ(int_at(array_at(*job, "spec.replicaSpecs").front(), "replicas"), 1);
  EXPECT_EQ(string_at(*job, "spec.torchrunConfig.procPerNode"), "4");
  EXPECT_EQ(to_text(*find(container(*job), "args")), R"(["train.py","-x"])");
  EXPECT_EQ(find(container(*job), "command"), nullptr);
}

TEST(RunJob, WithTorchrunNeedsAPythonScript) {
  RunOptions torchrun = options({"sh", "-c", "echo"});
  torchrun.torchrun = true;
  ASSERT_FALSE(make_run_job(torchrun, here()));
  torchrun.command = {"python", "-m", "package.train"};
  EXPECT_TRUE(make_run_job(torchrun, here()));
}

TEST(RunJob, TakesVariablesByValueAndByName) {
  RunOptions given = options({"x"});
  given.env = {"A=b=c", "SEED"};
  const auto job = make_run_job(given, here());
  ASSERT_TRUE(job);
  EXPECT_EQ(variable(*job, "A"), "b=c");
  EXPECT_EQ(variable(*job, "SEED"), "7");
  for (const char* wrong : {"UNSET", "=x"}) {
    given.env = {wrong};
    const auto refused = make_run_job(given, here());
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message().find(wrong), std::string::npos);
  }
}

TEST(RunJob, LeavesDollarsAsTheyWereTyped) {
  const auto job = make_run_job(options({"sh", "-c", "echo $(RANK) $$ $HOME"}), here());
  ASSERT_TRUE(job);
  EXPECT_EQ(array_at(container(*job), "command").at(2).as_string(),
            "echo $$(RANK) $$$ $HOME");  // which the node turns into what was typed
}

TEST(RunJob, AsksForResourcesAndRefusesNonsense) {
  RunOptions asked = options({"x"});
  asked.cpu = "2";
  asked.memory = "4Gi";
  asked.gpus = 1;
  const auto job = make_run_job(asked, here());
  ASSERT_TRUE(job);
  EXPECT_EQ(to_text(*find(container(*job), "resources.limits")),
            R"({"cpu":"2","memory":"4Gi","nvidia.com/gpu":"1"})");
  asked.memory = "much";
  const auto refused = make_run_job(asked, here());
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("--memory much"), std::string::npos);
}

TEST(RunJob, WorksInAVolumeWhenOneIsNamed) {
  RunOptions given = options({"x"});
  given.volume = "shared";
  const auto job = make_run_job(given, here());
  ASSERT_TRUE(job);
  EXPECT_EQ(string_at(container(*job), "workingDir"), "/workspace");
}

TEST(RunJob, RefusesWhatCannotBeRun) {
  EXPECT_FALSE(make_run_job(options({}), here()));
  EXPECT_FALSE(make_run_job(options({"x"}, 0), here()));
  Surroundings root = here();
  root.folder = "/";
  EXPECT_FALSE(make_run_job(options({"x"}), root));
}

TEST(RunJob, IsNamedAfterItsScript) {
  EXPECT_EQ(name_for({"python3", "-u", "src/Train_v2.py", "--lr"}), "train-v2");
  EXPECT_EQ(name_for({"python", "-m", "my.fit"}), "fit");
  EXPECT_EQ(name_for({"./run.sh"}), "run");
  EXPECT_EQ(name_for({"sh", "-c", "echo hi"}), "echo-hi");
  EXPECT_EQ(name_for({"训练.py"}), "run");
  EXPECT_EQ(name_for({"python"}), "python");
  EXPECT_LE(name_for({std::string(80, 'x')}).size(), 30U);
}

}  // namespace
}  // namespace trainyard::cli
