#include "jobs/explain.h"

#include "jobs/engine/test_world.h"
#include "jobs/generic_job.h"
#include "jobs/pytorch_training_job.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace trainyard::jobs {
namespace {

const PyTorchTrainingJob kKind;

World job(const std::string& run_policy, const std::string& restart = "OnFailure") {
  return World::with_groups(
      {fmt::format("{{type: ps, restartPolicy: {}}}", restart),
       fmt::format("{{type: worker, replicas: 2, restartPolicy: {}}}", restart)},
      run_policy);
}

std::string then(const std::vector<Outcome>& outcomes, const std::string& event) {
  for (const Outcome& outcome : outcomes) {
    if (outcome.event == event) return outcome.then;
  }
  return "nothing is said of it";
}

TEST(Explain, SaysWhatT9ksRulesDo) {
  const auto outcomes = explain_job(kKind, job("{backoffLimit: 2, activeDeadlineSeconds: 60}").job);
  EXPECT_EQ(then(outcomes, "the master (ps-0) exits with an error (code 1)"),
            "ps-0 is replaced, and the others go on; counts as 1 restart");
  EXPECT_EQ(then(outcomes, "the master (ps-0) exits with an error (code 1), with no restart left"),
            "the job is Failed; 2 that still run are left alone (cleanUpPolicy None)");
  EXPECT_EQ(then(outcomes, "a worker exits with an error (code 1), with no restart left"),
            "worker-0 is not replaced; the job goes on with the condition ReplicaFailure");
  EXPECT_EQ(then(outcomes, "a worker is lost with its node"),
            "worker-0 is replaced, and the others go on; not counted as a restart");
  EXPECT_EQ(then(outcomes, "a worker exits with 0"), "worker-0 is not replaced; the job goes on");
  EXPECT_EQ(then(outcomes, "the master (ps-0) exits with 0"),
            "the job is Succeeded; 2 that still run are left alone (cleanUpPolicy None)");
  EXPECT_EQ(then(outcomes, "the deadline passes (60 s)"),
            "the job is Failed; all pods are deleted, and with them their logs");
  EXPECT_EQ(then(outcomes, "the job is paused"),
            "the job is Paused; stopped: ps-0, worker-0, worker-1; nothing is counted, and the "
            "deadline's clock stands still");
}

TEST(Explain, SaysWhatGangRulesDo) {
  const auto outcomes =
      explain_job(kKind, job("{restartScope: Job, onReplicaFailure: StopJob}").job);
  EXPECT_EQ(
      then(outcomes, "a worker is killed (SIGKILL, code 137)"),
      "all 3 pods are started anew together, once the old ones are gone; counts as 1 restart");
  EXPECT_EQ(then(outcomes, "a worker is killed (SIGKILL, code 137), with no restart left"),
            "the job is Failed; stopped: ps-0, worker-1");
}

TEST(Explain, TellsExitCodesApart) {
  const auto outcomes = explain_job(kKind, job("{}", "ExitCode").job);
  EXPECT_EQ(then(outcomes, "a worker exits with an error (code 1)"),
            "worker-0 is not replaced; the job goes on with the condition ReplicaFailure");
  EXPECT_EQ(then(outcomes, "a worker asks for a restart (code 138)"),
            "worker-0 is replaced, and the others go on; counts as 1 restart");
}

TEST(Explain, KnowsGenericJobs) {
  const GenericJob kind;
  World world(kind, R"(
failureRules: [{server: [0]}]
replicaSpecs:
- {type: server, template: {spec: {containers: [{name: m}]}}}
- {type: client, replicas: 2, restartPolicy: {limit: 2}, template: {spec: {containers: [{name: m}]}}}
)");
  const auto outcomes = explain_job(kind, world.job);
  EXPECT_TRUE(
      then(outcomes, "a server exits with an error (code 1)").starts_with("the job is Failed"));
  EXPECT_EQ(then(outcomes, "a client exits with an error (code 1)"),
            "client-0 is replaced, and the others go on; counts as 1 restart");
}

TEST(Explain, RefusesWhatCannotRun) {
  World world = job("{}");
  EXPECT_EQ(why_not_explainable(kKind, world.job), "");
  find(world.job, "spec.replicaSpecs")->get_array()[1].get_object().erase("template");
  EXPECT_EQ(why_not_explainable(kKind, world.job),
            "spec.replicaSpecs[1].template.spec.containers: Required value: must have at least one "
            "container");
  world.job.get_object().erase("spec");
  EXPECT_NE(why_not_explainable(kKind, world.job), "");
}

/// Whatever it says of a worker's failure must be what plans do in a world of their own.
TEST(Explain, AgreesWithThePlans) {
  for (const char* policy : {"Never", "OnFailure", "Always", "ExitCode"}) {
    for (const char* scope : {"Replica", "Job"}) {
      for (const char* on_failure : {"Continue", "StopJob"}) {
        for (const int limit : {0, 2}) {
          const std::string run_policy =
              fmt::format("{{restartScope: {}, onReplicaFailure: {}, backoffLimit: {}}}", scope,
                          on_failure, limit);
          SCOPED_TRACE(run_policy + policy);
          World world = job(run_policy, policy);
          const std::vector<Outcome> outcomes = explain_job(kKind, world.job);
          const auto said = std::find_if(outcomes.begin(), outcomes.end(), [](const Outcome& one) {
            return one.event == "a worker is killed (SIGKILL, code 137)";
          });
          ASSERT_NE(said, outcomes.end());
          world.settle();
          world.set_all_phases("Running");
          world.settle();
          world.end_pod("worker-0", 137);
          for (int i = 0; i < 3; ++i) {
            ASSERT_TRUE(world.settle());
            world.finish_deletions();
            for (auto& [name, pod] : world.pods) {
              if (string_at(pod, "status.phase") == "Pending") {
                make_path(pod, "status.phase") = "Running";
              }
            }
          }
          EXPECT_EQ(world.phase(), said->phase);
          EXPECT_EQ(world.backoff(), said->restarts);
          EXPECT_EQ(world.pods.size(), 3U - said->stopped.size());
        }
      }
    }
  }
}

}  // namespace
}  // namespace trainyard::jobs
