// T9k's contract, section 3: pods, names, and the end of a job.
#include "jobs/mpi/mpi_job.h"

#include "jobs/engine/form/names.h"
#include "jobs/engine/test_world.h"
#include "jobs/mpi/meeting.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace trainyard::jobs {
namespace {

using namespace std::chrono_literals;

const MpiJob kKind;

World world_of(const std::string& more = "", const std::string& launcher = "{}") {
  return World(kKind, fmt::format(R"(
mpiConfig: {{home: /usr/local, mca: {{pml: ob1}}, extraArgs: [-N, '1'], script: [train, $HOME]}}
ssh: {{sshdPath: /usr/sbin/sshd}}
replicaSpecs:
- {{type: launcher, restartPolicy: {}, template: {{}}}}
- type: worker
  replicas: 2
  template:
    spec: {{containers: [{{name: side}}, {{name: worker, command: [own], env: [{{name: A, value: x}}]}}]}}
{})",
                                  launcher, more));
}

World running(const std::string& more = "", const std::string& launcher = "{}") {
  World world = world_of(more, launcher);
  world.settle();
  world.set_all_phases("Running");
  world.settle();
  return world;
}

std::string launcher_name() {
  return "mnist-40c14-launcher";
}

const Json& launcher_of(const World& world) {
  return world.pods.at(launcher_name());
}

const Json& first_container(const Json& pod) {
  return array_at(pod, "spec.containers").at(0);
}

TEST(MpiJob, TheLauncherHasNoIndexAndTheWorkersHaveTheHostNamesOfTheHostfile) {
  const World world = running();
  EXPECT_EQ(world.phase(), "Running");
  ASSERT_EQ(world.pods.size(), 3U);
  EXPECT_EQ(string_at(launcher_of(world), "spec.hostname"), "mnist-launcher");
  const Json& worker = world.pod("worker-1");
  EXPECT_EQ(string_at(worker, "spec.hostname"), "mnist-worker-1");
  EXPECT_EQ(string_at(worker, "spec.subdomain"), "mnist-worker");
  EXPECT_EQ(label_of(worker, "mpi-job"), "mnist");
  EXPECT_EQ(label_of(worker, "app"), "mnist");
  EXPECT_TRUE(world.services.contains("mnist-worker"));
}

TEST(MpiJob, WorkersRunSshdWhateverTheirCommandIs) {
  const World world = running();
  const Json& container = first_container(world.pod("worker-0"));
  EXPECT_EQ(string_at(container, "name"), "worker");
  EXPECT_EQ(to_text(*find(container, "command")),
            R"(["/bin/sh","/etc/mpi/worker.sh","29500","/usr/sbin/sshd"])");
}

TEST(MpiJob, TheLaunchersCommandIsMpirunsWordForWord) {
  const World world = running();
  const Json& container = first_container(launcher_of(world));
  EXPECT_EQ(to_text(*find(container, "command")),
            R"(["/bin/sh","/etc/mpi/launch.sh","/usr/local","2","--hostfile","/etc/mpi/hostfile",)"
            R"("-mca","pml","ob1","-x","A","-N","1","train","$$HOME"])");
  EXPECT_EQ(string_at(array_at(container, "env").at(1), "name"), "A") << "mpirun must have it";
  EXPECT_EQ(string_at(array_at(launcher_of(world), "spec.initContainers").at(0), "name"),
            kPreflightContainer);
}

TEST(MpiJob, FilesAndKeysAreThereBeforeThePods) {
  const JobPlan plan = world_of().plan();
  ASSERT_EQ(plan.create_support.size(), 5U);
  const Json& files = plan.create_support[0].object;
  EXPECT_EQ(name_of(files), "mnist-40c14-mpi");
  EXPECT_EQ(string_at(files, "data.hostfile"),
            "mnist-worker-0.mnist-worker slots=1\nmnist-worker-1.mnist-worker slots=1\n");
  EXPECT_EQ(string_at(files, "data.workers"),
            "mnist-worker-0.mnist-worker mnist-40c14-worker-0 worker\n"
            "mnist-worker-1.mnist-worker mnist-40c14-worker-1 worker\n");
  for (const char* script : {"worker.sh", "launch.sh", "preflight.sh", "session.sh"}) {
    EXPECT_TRUE(object_at(files, "data").contains(script)) << script;
  }
  EXPECT_TRUE(plan.create_support[1].takes_keys);
  EXPECT_EQ(find(plan.create_support[1].object, "data"), nullptr) << "plans are pure";
  EXPECT_EQ(to_text(*find(plan.create_support[3].object, "rules")),
            R"([{"apiGroups":[""],"resources":["pods/exec"],"resourceNames":)"
            R"(["mnist-40c14-worker-0","mnist-40c14-worker-1"],"verbs":["create","get"]}])");
}

TEST(MpiJob, SucceedsWithMpirunAndLeavesTheWorkersUnlessToldToCleanUp) {
  World world = running();
  world.end_pod("launcher", 0);
  world.settle();
  EXPECT_EQ(world.phase(), "Succeeded");
  EXPECT_EQ(world.replica_phase("worker-0"), "Running");
  World tidy = running("runPolicy: {cleanUpWorkers: true}");
  tidy.end_pod("launcher", 0);
  tidy.settle();
  tidy.finish_deletions();
  tidy.settle();
  EXPECT_EQ(tidy.phase(), "Succeeded");
  EXPECT_EQ(int_at(tidy.status(), "aggregate.deleted"), 2);
  EXPECT_TRUE(tidy.pods.contains(launcher_name())) << "its log is what people read";
}

TEST(MpiJob, FailsWithMpirunAndNoWorkerLingers) {
  World world = running();
  world.end_pod("launcher", 1);
  world.settle();
  EXPECT_EQ(world.phase(), "Failed");
  EXPECT_TRUE(world.told("Failed").at(0).starts_with(
      "The job exited with an error code: Pod[mnist-40c14-launcher] exited with error code 1"))
      << world.told("Failed").at(0);
  world.finish_deletions();
  EXPECT_EQ(world.pods.size(), 1U);
}

TEST(MpiJob, FailsWhenAWorkerIsLostAndGivesMpirunTimeToSayWhatItKnows) {
  World world = running();
  world.end_pod("worker-1", 137);
  world.settle();
  EXPECT_EQ(world.phase(), "Failed");
  EXPECT_TRUE(world.told("Failed").at(0).starts_with(
      "A worker was lost: Pod[mnist-40c14-worker-1] exited with error code 137"))
      << world.told("Failed").at(0);
  world.finish_deletions();
  EXPECT_FALSE(world.has_pod("worker-0"));
  EXPECT_TRUE(world.pods.contains(launcher_name()));
  world.now += 30s;
  world.settle();
  world.finish_deletions();
  EXPECT_FALSE(world.pods.contains(launcher_name())) << "a launcher that hangs is stopped";
}

TEST(MpiJob, ALauncherIsReplacedAsItsRestartPolicySays) {
  World world = running("", "{policy: OnFailure, limit: 1}");
  world.end_pod("launcher", 1);
  world.settle();
  EXPECT_EQ(world.phase(), "Running");
  EXPECT_EQ(int_at(array_at(world.status(), "tasks").at(0), "restartCount"), 1);
  world.end_pod("launcher", 1);
  world.settle();
  EXPECT_EQ(world.phase(), "Failed");
}

TEST(MpiJob, DebuggingKeepsSshdAndLetsTheLauncherIdle) {
  const World world = running("runMode: {debug: {enabled: true}}");
  EXPECT_EQ(to_text(*find(first_container(launcher_of(world)), "command")), R"(["sleep","inf"])");
  EXPECT_EQ(find(launcher_of(world), "spec.initContainers"), nullptr);
  EXPECT_EQ(array_at(first_container(world.pod("worker-0")), "command").at(1),
            Json("/etc/mpi/worker.sh"));
}

TEST(MpiJob, AFailedWayIsNamedInTheConditionPreflight) {
  World world = world_of();
  world.settle();
  Json& pod = world.pods.at(launcher_name());
  const auto set_state = [&](Json state) {
    make_path(pod, "status.initContainerStatuses") =
        JsonArray{{{"name", kPreflightContainer}, {"state", std::move(state)}}};
    world.settle();
  };
  set_state({{"running", JsonObject()}});
  EXPECT_EQ(world.condition("Preflight"),
            "False (Probing: The launcher waits until every worker answers.)");
  set_state({{"terminated", {{"exitCode", 0}, {"message", "all 2 workers answer ssh\n"}}}});
  EXPECT_EQ(world.condition("Preflight"), "True (WorkersAnswer: all 2 workers answer ssh)");
  EXPECT_TRUE(world.told("NoSshd").empty());
  const std::string failed = "cannot reach all workers: launcher -> mnist-worker-1: refused";
  set_state({{"terminated", {{"exitCode", 1}, {"message", failed}}}});
  EXPECT_EQ(world.condition("Preflight"), "False (WorkersOutOfReach: " + failed + ")");
}

TEST(MpiJob, AnEventSaysThatThereIsNoSshd) {
  World world = world_of();
  world.settle();
  make_path(world.pods.at(launcher_name()), "status.initContainerStatuses") =
      JsonArray{{{"name", kPreflightContainer},
                 {"state",
                  {{"terminated",
                    {{"exitCode", 0},
                     {"message", "all 2 workers answer trainyard rsh: there is no sshd"}}}}}}};
  world.settle();
  ASSERT_EQ(world.told("NoSshd").size(), 1U);
  EXPECT_EQ(world.told("NoSshd").at(0),
            "all 2 workers answer trainyard rsh: there is no sshd; mpirun does not use ssh.");
}

}  // namespace
}  // namespace trainyard::jobs
