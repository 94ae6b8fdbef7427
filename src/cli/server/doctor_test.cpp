#include "cli/server/doctor.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace trainyard::cli {
namespace {

/// A machine on which nothing is amiss.
MachineFacts healthy() {
  MachineFacts facts;
  facts.kernel = "6.1.0-18-amd64";
  facts.root = true;
  facts.cgroups = 2;
  facts.cgroups_writable = true;
  facts.ports = {{"--listen", 6480, true, ""}, {"--console", 6481, true, ""}};
  facts.data_dir = "/root/.trainyard";
  facts.disk_free = 100'000'000'000;
  facts.python = "/usr/bin/python3";
  facts.python_version = "3.11.2";
  facts.torch = "2.1.0";
  facts.tensorboard = "2.14";
  facts.jupyter = "4.1";
  facts.mpirun = "/usr/bin/mpirun";
  facts.ssh = "/usr/bin/ssh";
  facts.sshd = "/usr/sbin/sshd";
  facts.git = "/usr/bin/git";
  facts.kubectl = "v1.33.4";
  facts.gpus = 2;
  return facts;
}

Check find(const std::vector<Check>& checks, const std::string& name) {
  const auto found = std::find_if(checks.begin(), checks.end(),
                                  [&](const Check& check) { return check.name == name; });
  return found == checks.end() ? Check() : *found;
}

TEST(Examine, FindsNothingOnAHealthyMachine) {
  const auto checks = examine(healthy());
  for (const Check& check : checks) {
    EXPECT_EQ(check.health, Health::kOk) << check.name << ": " << check.finding;
    EXPECT_EQ(check.remedy, "") << check.name;
  }
  EXPECT_TRUE(can_run_jobs(checks));
  EXPECT_NE(checks_text(checks, "").find("Jobs can run here."), std::string::npos);
}

struct Lack {
  const char* name;
  void (*take)(MachineFacts&);
  bool jobs_run;
  const char* remedy;
};

TEST(Examine, NamesEachLackWithWhatMendsItAndWhetherJobsRunWithoutIt) {
  const std::vector<Lack> lacks{
      {"kernel", [](MachineFacts& f) { f.kernel = "5.10.0"; }, false, "Debian 12"},
      {"kernel", [](MachineFacts& f) { f.kernel = ""; }, false, "Debian 12"},
      {"namespaces",
       [](MachineFacts& f) {
         f.root = false;
         f.namespaces_problem = "refused";
         f.namespaces_remedies = {"sudo sysctl user.max_user_namespaces=1"};
       },
       false, "sudo sysctl"},
      {"namespaces",
       [](MachineFacts& f) {
         f.root = false;
         f.namespaces_problem = "refused";
       },
       false, "as root"},
      {"cgroups", [](MachineFacts& f) { f.cgroups_writable = false; }, true, "--privileged"},
      {"cgroups", [](MachineFacts& f) { f.cgroups = 0; }, true, "mount"},
      {"ports", [](MachineFacts& f) { f.ports[1].free = false; }, false,
       "--console 127.0.0.1:PORT"},
      {"data folder", [](MachineFacts& f) { f.disk_free = 1000; }, false, "--data-dir"},
      {"data folder", [](MachineFacts& f) { f.disk_free = 1'000'000'000; }, true, "--data-dir"},
      {"data folder", [](MachineFacts& f) { f.data_problem = "closed"; }, false, "--data-dir"},
      {"python", [](MachineFacts& f) { f.python = ""; }, true, "apt-get install python3"},
      {"torch", [](MachineFacts& f) { f.torch = ""; }, true, "venv"},
      {"torch",
       [](MachineFacts& f) {
         f.torch = "";
         f.python_in_venv = true;
       },
       true, "/usr/bin/python3 -m pip install torch"},
      {"tensorboard", [](MachineFacts& f) { f.tensorboard = ""; }, true, "pip install tensorboard"},
      {"jupyter", [](MachineFacts& f) { f.jupyter = ""; }, true, "trainyard notebook setup"},
      {"mpi", [](MachineFacts& f) { f.sshd = ""; }, true, "openssh-server"},
      {"git", [](MachineFacts& f) { f.git = ""; }, true, "apt-get install git"},
      {"gpus", [](MachineFacts& f) { f.gpus = 0; }, true, "--fake-gpus"},
      {"gpus",
       [](MachineFacts& f) {
         f.gpus = 0;
         f.nvidia_card = true;
       },
       true, "nvidia-driver"},
      {"kubectl", [](MachineFacts& f) { f.kubectl = ""; }, true, "kubernetes.io"},
      {"kubectl", [](MachineFacts& f) { f.kubectl = "v1.20.2"; }, true, "kubernetes.io"},
  };
  for (const Lack& lack : lacks) {
    MachineFacts facts = healthy();
    lack.take(facts);
    const auto checks = examine(facts);
    const Check check = find(checks, lack.name);
    EXPECT_NE(check.health, Health::kOk) << lack.name;
    EXPECT_NE(check.remedy.find(lack.remedy), std::string::npos) << lack.name << check.remedy;
    EXPECT_EQ(can_run_jobs(checks), lack.jobs_run) << lack.name << ": " << check.finding;
  }
}

TEST(Examine, LeavesThePortsToAServerThatRuns) {
  MachineFacts facts = healthy();
  facts.ports[0].free = false;
  facts.server = ServerInfo{1, "https://127.0.0.1:6480", "", "", ""};
  EXPECT_TRUE(can_run_jobs(examine(facts)));
}

TEST(ChecksJson, HasAStateForEach) {
  MachineFacts facts = healthy();
  facts.torch = "";
  const Json json = checks_json(examine(facts), "");
  EXPECT_TRUE(bool_at(json, "canRunJobs"));
  EXPECT_EQ(array_at(json, "checks").size(), examine(facts).size());
}

TEST(MendingCommand, IsOneLineForAllThatACommandCanMend) {
  MachineFacts facts = healthy();
  EXPECT_EQ(mending_command(facts, examine(facts)), "");
  facts.root = false;
  facts.torch = facts.tensorboard = facts.jupyter = facts.git = facts.ssh = "";
  facts.gpus = 0;  // no command brings one
  const auto checks = examine(facts);
  const std::string all =
      "sudo apt-get install -y openmpi-bin openssh-client openssh-server git python3-venv && "
      "python3 -m venv ~/venv && ~/venv/bin/python -m pip install torch tensorboard && "
      "export PATH=~/venv/bin:$PATH && trainyard notebook setup";
  EXPECT_EQ(mending_command(facts, checks), all);
  EXPECT_TRUE(checks_text(checks, all).ends_with("  " + all + "\n"));
}

TEST(MendingCommand, TakesTheEnvironmentThatIsThere) {
  MachineFacts facts = healthy();
  facts.python = "/home/ann/env/bin/python3";
  facts.python_in_venv = true;
  facts.torch = "";
  EXPECT_EQ(mending_command(facts, examine(facts)),
            "/home/ann/env/bin/python3 -m pip install torch");
}

}  // namespace
}  // namespace trainyard::cli
