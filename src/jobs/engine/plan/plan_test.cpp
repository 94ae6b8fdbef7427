// From the object's acceptance to its running: T9k's contract, sections 1.7 to 1.10.
#include "jobs/engine/plan/plan.h"

#include "jobs/engine/form/names.h"
#include "jobs/engine/test_world.h"

#include <gtest/gtest.h>

namespace trainyard::jobs {
namespace {

using namespace std::chrono_literals;

World two_workers() {
  return World::with_groups({"{type: worker, replicas: 2}"});
}

World parameter_server() {
  return World::with_groups({"{type: ps}", "{type: worker, replicas: 2}"});
}

std::vector<std::string> names(const std::vector<Json>& objects) {
  std::vector<std::string> found;
  for (const Json& object : objects) found.emplace_back(name_of(object));
  return found;
}

TEST(PlanJob, AnAcceptedJobIsPendingNotCompletedAndToldAsCreated) {
  World world = two_workers();
  world.apply(world.plan());
  EXPECT_EQ(world.phase(), "Pending");
  EXPECT_EQ(world.condition("Completed"), "False (NotFinished: The job is still running.)");
  EXPECT_EQ(world.condition("Failed"), "") << "absent until the end";
  EXPECT_EQ(world.told("Created"),
            std::vector<std::string>{"A PyTorchTrainingJob has been created: mnist"});
}

TEST(PlanJob, AsksForAPortAndCreatesNothingBeforeItHasOne) {
  World world = two_workers();
  world.job.at("metadata").get_object().erase("annotations");
  const JobPlan plan = world.plan();
  EXPECT_TRUE(plan.needs_port);
  EXPECT_TRUE(plan.create_pods.empty());
  EXPECT_TRUE(plan.create_services.empty());
  world.settle();
  EXPECT_EQ(world.pods.size(), 2U);
  EXPECT_EQ(world.told("Created").size(), 1U);
}

TEST(PlanJob, AsksForAnotherPortWhenItsOwnWasTakenBeforeItsPodsAreThere) {
  World world = two_workers();
  world.port_is_usable = false;
  EXPECT_TRUE(world.plan().needs_port);
  EXPECT_TRUE(world.plan().create_pods.empty());
  world.port_is_usable = true;
  EXPECT_FALSE(world.plan().needs_port);
}

TEST(PlanJob, CreatesPodsOfAllGroupsInRankOrder) {
  const JobPlan plan = parameter_server().plan();
  EXPECT_EQ(names(plan.create_pods),
            (std::vector<std::string>{"mnist-40c14-ps-0", "mnist-40c14-worker-0",
                                      "mnist-40c14-worker-1"}));
}

TEST(PlanJob, CreatesAHeadlessServiceAndAGroupOfAllReplicas) {
  World world = parameter_server();
  make_path(world.job, "spec.scheduler.t9kScheduler.queue") = "research";
  const JobPlan plan = world.plan();
  ASSERT_EQ(names(plan.create_services), std::vector<std::string>{"mnist-40c14"});
  EXPECT_EQ(string_at(plan.create_services[0], "spec.clusterIP"), "None");
  ASSERT_TRUE(plan.create_pod_group);
  EXPECT_EQ(name_of(*plan.create_pod_group), "mnist") << "the PodGroup is named as the job";
  EXPECT_EQ(int_at(*plan.create_pod_group, "spec.minMember"), 3);
  EXPECT_EQ(string_at(*plan.create_pod_group, "spec.queue"), "research");
}

TEST(PlanJob, EverythingCreatedIsOwnedByTheJob) {
  const JobPlan plan = two_workers().plan();
  std::vector<Json> made = plan.create_pods;
  made.push_back(plan.create_services.at(0));
  made.push_back(plan.create_pod_group.value());
  for (const Json& object : made) {
    const Json* owner = controller_of(object);
    ASSERT_NE(owner, nullptr) << name_of(object);
    EXPECT_EQ(string_at(*owner, "uid"), "cffea855-5ce2-496a-8956-f6e76fe2f565");
    EXPECT_EQ(string_at(*owner, "kind"), "PyTorchTrainingJob");
    EXPECT_EQ(namespace_of(object), "demo");
  }
}

TEST(PlanJob, PodsCarryTheLabelsThatToolsSelectBy) {
  World world = parameter_server();
  world.settle();
  const Json& master = world.pod("ps-0");
  const Json& worker = world.pod("worker-1");
  EXPECT_EQ(label_of(worker, "tensorstack.dev/owner-name"), "mnist");
  EXPECT_EQ(label_of(worker, "replica-type"), "worker");
  EXPECT_EQ(label_of(worker, "replica-index"), "1");
  EXPECT_EQ(label_of(worker, "tensorstack.dev/component"), "pytorchtrainingjob");
  EXPECT_EQ(label_of(worker, "tensorstack.dev/component-type"), "user");
  EXPECT_EQ(label_of(master, "job-role"), "master");
  EXPECT_FALSE(object_at(worker, "metadata.labels").contains("job-role"));
}

TEST(PlanJob, PodsOfT9ksSchedulerSaySo) {
  World world = parameter_server();
  EXPECT_EQ(find(world.plan().create_pods[0], "spec.schedulerName"), nullptr);
  make_path(world.job, "spec.scheduler.t9kScheduler.queue") = "research";
  world.settle();
  const Json& worker = world.pod("worker-1");
  EXPECT_EQ(string_at(worker, "spec.schedulerName"), "t9k-scheduler");
  EXPECT_EQ(label_of(worker, "scheduler.tensorstack.dev/group-name"), "mnist");
  EXPECT_EQ(label_of(worker, "scheduler.tensorstack.dev/queue"), "research");
  EXPECT_EQ(label_of(worker, "scheduler.tensorstack.dev/role"), "worker");
}

TEST(PlanJob, ThePodsOwnRestartPolicyIsAlwaysNever) {
  World world = two_workers();
  Json& groups = make_path(world.job, "spec.replicaSpecs");
  make_path(groups.at(0), "template.spec.restartPolicy") = "Always";
  world.settle();
  EXPECT_EQ(string_at(world.pod("worker-0"), "spec.restartPolicy"), "Never");
}

TEST(PlanJob, IsInitializedWhenAllChildrenExist) {
  World world = two_workers();
  world.apply(world.plan());
  EXPECT_EQ(world.condition("Initialized"), "") << "its pods were only just asked for";
  world.settle();
  EXPECT_EQ(world.condition("Initialized"), "True (-: The job has been initialized successfully.)");
  EXPECT_EQ(world.condition("ReplicaFailure"), "False (-: No pod has failed.)");
  EXPECT_EQ(world.phase(), "Pending");
  EXPECT_EQ(
      world.told("NewReplica"),
      (std::vector<std::string>{"Create the replica[mnist-40c14-worker-0] for the first time.",
                                "Create the replica[mnist-40c14-worker-1] for the first time."}));
  EXPECT_EQ(world.told("Start"),
            std::vector<std::string>{"The job has been initialized successfully."});
}

TEST(PlanJob, RunsOnceEveryPodRunsOrHasSucceeded) {
  World world = two_workers();
  world.settle();
  world.set_phase("worker-0", "Running");
  world.settle();
  EXPECT_EQ(world.phase(), "Pending");
  EXPECT_EQ(world.condition("Running"), "");
  world.end_pod("worker-1", 0);
  world.settle();
  EXPECT_EQ(world.phase(), "Running");
  EXPECT_EQ(world.condition("Running"), "True (-: All pods are running normally.)");
  EXPECT_EQ(world.told("Running"),
            std::vector<std::string>{"The job began running at 2026-03-01 10:00:00.25 UTC"});
}

TEST(PlanJob, StatusTellsWhatThePodsAre) {
  World world = World::with_groups({"{type: worker, replicas: 4, restartPolicy: Never}"});
  world.settle();
  world.set_all_phases("Running");
  world.settle();
  world.set_phase("worker-1", "Unknown");
  world.end_pod("worker-2", 0);
  world.end_pod("worker-3", 7);
  world.settle();
  EXPECT_EQ(to_text(object_at(world.status(), "aggregate")),
            R"({"creating":0,"pending":0,"running":1,"succeeded":1,"failed":1,"unknown":1,)"
            R"("deleted":0})");
  const Json failed = world.replica("worker-3");
  EXPECT_EQ(string_at(failed, "uid"), uid_of(world.pod("worker-3")));
  EXPECT_EQ(to_text(array_at(failed, "containers")),
            R"([{"name":"main","state":"Terminated","exitCode":7}])");
  EXPECT_EQ(string_at(array_at(world.status(), "tasks")[0], "type"), "worker");
}

TEST(PlanJob, IsUnknownWhileTheMastersStateCannotBeRead) {
  World world = two_workers();
  world.settle();
  world.set_all_phases("Running");
  world.settle();
  world.set_phase("worker-0", "Unknown");
  world.settle();
  EXPECT_EQ(world.phase(), "Unknown");
  world.set_phase("worker-0", "Running");
  world.settle();
  EXPECT_EQ(world.phase(), "Running");
}

TEST(PlanJob, StatusSaysCreatingBeforeAPodIsThere) {
  World world = two_workers();
  world.apply(world.plan());
  EXPECT_EQ(world.replica_phase("worker-0"), "Creating");
  EXPECT_EQ(int_at(world.status(), "aggregate.creating"), 2);
}

TEST(PlanJob, AConditionsTimeChangesOnlyWithItsStatus) {
  World world = two_workers();
  world.settle();
  world.set_all_phases("Running");
  world.settle();
  const std::string since = world.condition_time("Running");
  const std::string normal_since = world.condition_time("ReplicaFailure");
  world.now += 90s;
  world.set_phase("worker-1", "Unknown");
  world.settle();
  world.set_phase("worker-1", "Running");
  world.settle();
  EXPECT_EQ(world.condition_time("Running"), since);
  EXPECT_EQ(world.condition_time("ReplicaFailure"), normal_since);
  world.end_pod("worker-1", 1);
  world.settle();
  EXPECT_EQ(world.condition_time("ReplicaFailure"), "2026-03-01T10:01:30Z");
}

TEST(PlanJob, StaysRunningWhileAPodIsReplaced) {
  World world = two_workers();
  world.settle();
  world.set_all_phases("Running");
  world.settle();
  world.end_pod("worker-1", 1);
  world.settle();
  EXPECT_EQ(string_at(world.pod("worker-1"), "status.phase"), "Pending");
  EXPECT_EQ(world.phase(), "Running");
}

TEST(PlanJob, PlansNothingForAWorldThatIsAsItShouldBe) {
  World world = parameter_server();
  ASSERT_TRUE(world.settle());
  EXPECT_TRUE(is_empty(world.plan()));
  world.set_all_phases("Running");
  ASSERT_TRUE(world.settle());
  world.now += 1h;
  EXPECT_TRUE(is_empty(world.plan()));
}

TEST(PlanJob, GoesOnFromWhateverACrashLeftBehind) {
  for (std::size_t steps = 0; steps < 8; ++steps) {
    World world = parameter_server();
    world.apply(world.plan(), steps);
    ASSERT_TRUE(world.settle()) << "after " << steps << " steps";
    EXPECT_EQ(world.pods.size(), 3U);
    EXPECT_TRUE(!world.services.empty() && world.has_pod_group);
    EXPECT_EQ(world.refused_creations, 0);
    EXPECT_EQ(world.backoff(), 0);
  }
}

TEST(PlanJob, LeavesAJobAloneThatIsBeingDeleted) {
  World world = two_workers();
  make_path(world.job, "metadata.deletionTimestamp") = "2026-03-01T10:00:00Z";
  EXPECT_TRUE(is_empty(world.plan()));
}

TEST(PlanJob, ObservesTheGenerationThatItAnswers) {
  World world = two_workers();
  world.settle();
  make_path(world.job, "metadata.generation") = 4;
  world.settle();
  EXPECT_EQ(int_at(world.status(), "observedGeneration"), 4);
}

TEST(PlanJob, AGroupWithoutReplicasHasNoRank) {
  World world = World::with_groups({"{type: ps, replicas: 0}", "{type: worker, replicas: 2}"});
  world.settle();
  EXPECT_EQ(world.pods.size(), 2U);
  EXPECT_EQ(label_of(world.pod("worker-0"), kJobRoleLabel), "master");
}

TEST(PlanJob, AJobWithoutAnyReplicaFails) {
  World world = World::with_groups({"{type: worker, replicas: 0}"});
  ASSERT_TRUE(world.settle());
  EXPECT_EQ(world.phase(), "Failed");
}

TEST(PlanJob, SaysWhyItIsNotPlacedUntilItIs) {
  World world = two_workers();
  world.settle();
  EXPECT_EQ(world.condition("Running"), "");
  Json& pod = world.pods.at(world.pod_name("worker-1"));
  make_path(pod, "status.conditions") = JsonArray{{{"type", "PodScheduled"},
                                                   {"status", "False"},
                                                   {"reason", "Unschedulable"},
                                                   {"message", "needs 4 × nvidia.com/gpu"}}};
  world.settle();
  EXPECT_EQ(world.condition("Running"), "False (Unschedulable: needs 4 × nvidia.com/gpu)");
  EXPECT_EQ(world.phase(), "Pending");
  make_path(pod, "status.conditions") = JsonArray{{{"type", "PodScheduled"}, {"status", "True"}}};
  world.settle();
  EXPECT_EQ(world.condition("Running"), "False (-: All pods have a place.)");
  world.set_all_phases("Running");
  world.settle();
  EXPECT_EQ(world.condition("Running"), "True (-: All pods are running normally.)");
}

TEST(PlanJob, WaitsAndSaysSoWhileAnotherJobHasItsGroup) {
  World world = two_workers();
  world.group_taken_by = "GenericJob mnist";
  world.has_pod_group = true;
  ASSERT_TRUE(world.settle());
  EXPECT_TRUE(world.pods.empty());
  EXPECT_EQ(world.condition("Running"),
            "False (NameTaken: The PodGroup mnist belongs to GenericJob mnist: delete that job, or "
            "give this one another name.)");
  EXPECT_TRUE(world.plan().look_again);
  world.group_taken_by.clear();
  world.settle();
  EXPECT_EQ(world.pods.size(), 2U);
}

TEST(PlanJob, CarriesItsPriorityInItsGroup) {
  World world = two_workers();
  EXPECT_EQ(annotation_of(*world.plan().create_pod_group, kPriorityAnnotation), "");
  make_path(world.job, "spec.scheduler.t9kScheduler.priority") = 50;
  EXPECT_EQ(annotation_of(*world.plan().create_pod_group, kPriorityAnnotation), "50");
}

}  // namespace
}  // namespace trainyard::jobs
