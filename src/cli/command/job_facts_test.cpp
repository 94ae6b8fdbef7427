#include "cli/command/job_facts.h"

#include "object/yaml/yaml.h"

#include <gtest/gtest.h>

namespace trainyard::cli {
namespace {

ObjectPtr stored(Json body) {
  return std::make_shared<const StoredObject>(std::move(body), 1);
}

Json t9k(Json status) {
  return {{"apiVersion", "batch.tensorstack.dev/v1beta1"}, {"status", std::move(status)}};
}

Json kubeflow(JsonArray conditions) {
  return {
      {"apiVersion", "kubeflow.org/v1"},
      {"spec",
       {{"pytorchReplicaSpecs", {{"Master", {{"replicas", 1}}}, {"Worker", {{"replicas", 3}}}}}}},
      {"status",
       {{"conditions", std::move(conditions)},
        {"replicaStatuses", {{"Master", {{"active", 1}}}, {"Worker", {{"active", 2}}}}}}}};
}

Json condition(const char* type, const char* status) {
  return {{"type", type}, {"status", status}, {"message", "because"}};
}

ObjectPtr pod(const char* name, const char* index, std::int64_t exit_code, const char* ended) {
  return stored(
      {{"metadata",
        {{"name", name}, {"labels", {{"replica-type", "worker"}, {"replica-index", index}}}}},
       {"spec", {{"nodeName", "node-1"}}},
       {"status",
        {{"phase", "Failed"},
         {"containerStatuses",
          {{{"state",
             {{"terminated",
               {{"exitCode", exit_code}, {"reason", "Error"}, {"finishedAt", ended}}}}}}}}}}});
}

TEST(JobFacts, PhaseOfKubeflowsKindsComesFromConditions) {
  EXPECT_EQ(phase_of(kubeflow({})), "Pending");
  EXPECT_EQ(phase_of(kubeflow({condition("Created", "True")})), "Pending");
  EXPECT_EQ(phase_of(kubeflow({condition("Running", "True")})), "Running");
  EXPECT_EQ(phase_of(kubeflow({condition("Running", "False"), condition("Failed", "True")})),
            "Failed");
  EXPECT_EQ(phase_of(kubeflow({condition("Suspended", "True")})), "Paused");
  EXPECT_TRUE(job_has_ended(kubeflow({condition("Succeeded", "True")})));
}

TEST(JobFacts, PhaseOfT9ksKindsIsWritten) {
  EXPECT_EQ(phase_of(t9k({{"phase", "Resuming"}})), "Resuming");
  EXPECT_EQ(phase_of(t9k(JsonObject{})), "Pending");
}

TEST(JobFacts, PausingSetsTheFieldOfTheKind) {
  EXPECT_EQ(to_text(pause_patch(t9k(JsonObject{}), true)),
            R"({"spec":{"runMode":{"pause":{"enabled":true}}}})");
  EXPECT_EQ(to_text(pause_patch(kubeflow({}), false)),
            R"({"spec":{"runPolicy":{"suspend":false}}})");
}

TEST(JobFacts, GroupsAreReadFromEveryForm) {
  const auto of_kubeflow = replica_groups(kubeflow({}));
  ASSERT_EQ(of_kubeflow.size(), 2U);
  EXPECT_EQ(of_kubeflow[1].type, "Worker");
  EXPECT_EQ(of_kubeflow[1].replicas, 3);
  const Json generic{
      {"spec",
       {{"replicaSpecs",
         {{{"type", "ps"},
           {"restartPolicy", {{"policy", "Never"}}},
           {"template",
            {{"spec", {{"containers", {{{"name", "a"}}, {{"name", "python"}}}}}}}}}}}}}};
  const auto groups = replica_groups(generic);
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups[0].replicas, 1);
  EXPECT_EQ(groups[0].restart, "Never");
  EXPECT_EQ(string_at(*main_container(groups[0]), "name"), "python");
}

TEST(JobFacts, ReplicasAreNamedByTheirLabels) {
  EXPECT_EQ(replica_of({{"replica-type", "ps"}, {"replica-index", "0"}}), "ps-0");
  EXPECT_EQ(replica_of({{"training.kubeflow.org/replica-type", "worker"},
                        {"training.kubeflow.org/replica-index", "2"}}),
            "worker-2");
  EXPECT_EQ(replica_of({{"replica-type", "launcher"}}), "launcher");
  EXPECT_EQ(replica_of({{"training.kubeflow.org/job-role", "worker"},
                        {"training.kubeflow.org/replica-index", "1"}}),
            "worker-1");
  EXPECT_EQ(replica_of({{"training.kubeflow.org/job-role", "launcher"}}), "launcher");
  EXPECT_EQ(replica_of(Json()), "");
  EXPECT_TRUE(belongs_to({{"training.kubeflow.org/job-name", "fit"}}, "fit"));
}

TEST(JobFacts, AnMpiJobsLauncherMayBelongToAJobOfItsOperator) {
  const Json job = *parse_json_or_yaml("kind: MPIJob\nmetadata: {name: ring, uid: u1}");
  const auto pod = [](const std::string& owner, const std::string& role) {
    return *parse_json_or_yaml(
        "metadata:\n  labels: {training.kubeflow.org/job-name: ring, "
        "training.kubeflow.org/job-role: " +
        role + "}\n  ownerReferences: [{controller: true, " + owner + "}]");
  };
  EXPECT_TRUE(is_pod_of(job, pod("kind: MPIJob, name: ring, uid: u1", "worker")));
  EXPECT_FALSE(is_pod_of(job, pod("kind: MPIJob, name: ring, uid: u2", "worker")));
  EXPECT_TRUE(is_pod_of(job, pod("kind: Job, name: ring-launcher, uid: u3", "launcher")));
  EXPECT_FALSE(is_pod_of(job, pod("kind: Job, name: other-launcher, uid: u3", "launcher")));
  EXPECT_FALSE(is_pod_of(*parse_json_or_yaml("kind: PyTorchJob\nmetadata: {name: ring, uid: u1}"),
                         pod("kind: Job, name: ring-launcher, uid: u3", "launcher")));
}

TEST(JobFacts, ReplicasAreOrderedByNumber) {
  EXPECT_TRUE(replica_before("worker-9", "worker-10"));
  EXPECT_TRUE(replica_before("ps-10", "worker-0"));
  EXPECT_FALSE(replica_before("worker-0", "worker-0"));
}

TEST(JobFacts, ReplicaStatesHaveWhatStatusAndPodsSay) {
  const Json job = t9k({{"tasks",
                         {{{"type", "worker"},
                           {"replicas",
                            {{{"name", "fit-worker-0"}, {"phase", "Failed"}, {"restarts", 2}},
                             {{"name", "fit-worker-1"},
                              {"phase", "Deleted"},
                              {"containers", {{{"exitCode", 0}}}}}}}}}}});
  const auto states = replica_states(
      job, {pod("fit-worker-0", "0", 3, "2026-11-16T10:00:02Z"), pod("fit-worker-2", "2", 0, "")});
  ASSERT_EQ(states.size(), 3U);
  EXPECT_EQ(states[0].replica, "worker-0");
  EXPECT_EQ(states[0].restarts, 2);
  EXPECT_EQ(states[0].node, "node-1");
  EXPECT_EQ(states[0].exit_code, 3);
  EXPECT_EQ(states[1].exit_code, 0);
  EXPECT_EQ(states[2].replica, "worker-2") << "its pod is there, the status does not know it yet";
}

TEST(JobFacts, SummaryCountsWhatIsUp) {
  EXPECT_EQ(replica_summary(kubeflow({})), "Master: 1/1, Worker: 2/3");
  EXPECT_EQ(replica_summary(t9k(JsonObject{})), "-");
}

TEST(JobFacts, FirstFailureIsTheOneThatEndedFirst) {
  const auto first = [](const std::vector<ObjectPtr>& pods) {
    const auto states = replica_states(t9k(JsonObject{}), pods);
    const ReplicaState* state = first_failure(states);
    return state == nullptr ? std::string("none") : state->replica;
  };
  EXPECT_EQ(
      first({pod("a", "0", 1, "2026-11-16T10:00:05Z"), pod("b", "1", 137, "2026-11-16T10:00:02Z")}),
      "worker-1");
  EXPECT_EQ(
      first({pod("a", "0", 143, "2026-11-16T10:00:02Z"), pod("b", "1", 9, "2026-11-16T10:00:02Z")}),
      "worker-1")
      << "the other was stopped because of it";
  EXPECT_EQ(first({pod("a", "0", 0, "2026-11-16T10:00:02Z")}), "none");
}

TEST(JobFacts, DurationEndsWithTheJob) {
  const WallTime now = *parse_time("2026-11-16T10:10:00Z");
  EXPECT_EQ(duration_of(t9k({{"startTime", "2026-11-16T10:00:00Z"}}), now), "10m");
  EXPECT_EQ(duration_of(t9k({{"startTime", "2026-11-16T10:00:00Z"},
                             {"completionTime", "2026-11-16T10:00:25Z"}}),
                        now),
            "25s");
  EXPECT_EQ(duration_of(t9k(JsonObject{}), now), "-");
}

TEST(JobFacts, RemembersReplicasOfKubeflowsJobsWhosePodsAreGone) {
  const Json job = *parse_json_or_yaml(
      "apiVersion: kubeflow.org/v1\n"
      "status: {trainyard: {tasks: [{type: master, replicas: [{name: m-master-0, phase: Deleted, "
      "restarts: 2, containers: [{exitCode: 3}]}]}]}}\n");
  const std::vector<ReplicaState> states = replica_states(job, {});
  ASSERT_EQ(states.size(), 1U);
  EXPECT_EQ(states[0].replica, "master-0");
  EXPECT_EQ(states[0].exit_code, 3);
  EXPECT_EQ(states[0].restarts, 2);
}

}  // namespace
}  // namespace trainyard::cli
