#include "cli/arena/training_job.h"

#include "cli/arena/pod_role.h"
#include "cli/arena/views/objects_for_tests.h"

#include <gtest/gtest.h>

namespace trainyard::cli::arena {
namespace {

using namespace std::chrono_literals;

TEST(RawStatus, GoesByConditionsAndAnEndBeatsAllOthers) {
  const auto status = [](std::vector<std::string> conditions) {
    return raw_status(job_of("pytorchjob", "j", conditions));
  };
  EXPECT_EQ(status({}), "PENDING");
  EXPECT_EQ(status({"Created"}), "PENDING");
  EXPECT_EQ(status({"Created", "Restarting"}), "PENDING");
  EXPECT_EQ(status({"Created", "Suspended"}), "PENDING");
  EXPECT_EQ(status({"Created", "Queuing"}), "QUEUING");
  EXPECT_EQ(status({"Created", "Running"}), "RUNNING");
  EXPECT_EQ(status({"Running", "Failed"}), "FAILED");
  EXPECT_EQ(status({"Failed", "Succeeded"}), "SUCCEEDED");
}

TEST(RawStatus, OfAnMpiJobIsThatOfItsLauncher) {
  const auto with = [](std::vector<ObjectPtr> pods, std::vector<std::string> conditions = {}) {
    return raw_status(job_of("mpijob", "resnet-ddp", conditions, std::move(pods)));
  };
  const ObjectPtr worker = pod_of({.name = "w"}, "mpijob");
  EXPECT_EQ(with({}), "PENDING");
  EXPECT_EQ(with({worker}), "PENDING");
  EXPECT_EQ(with({worker, pod_of({.name = "l", .role = "launcher", .phase = "Pending"}, "mpijob")}),
            "PENDING");
  EXPECT_EQ(with({pod_of({.name = "l", .role = "launcher"}, "mpijob")}), "RUNNING");
  EXPECT_EQ(with({pod_of({.name = "l", .role = "launcher"}, "mpijob")}, {"Succeeded"}),
            "SUCCEEDED");
}

TEST(EffectiveStatus, IsPendingWhileOnePodIs) {
  EXPECT_EQ(raw_status(resnet()), "RUNNING");
  EXPECT_EQ(effective_status(resnet()), "PENDING");
  TrainingJob all_run = resnet();
  all_run.pods.pop_back();
  EXPECT_EQ(effective_status(all_run), "RUNNING");
  const TrainingJob over = job_of("pytorchjob", "j", {"Succeeded"}, resnet().pods);
  EXPECT_EQ(effective_status(over), "SUCCEEDED");
}

TEST(ChiefOf, IsTheNewestThatDoesNotWait) {
  const auto chief = [](const TrainingJob& job) {
    const Json* pod = chief_of(job);
    return pod == nullptr ? "" : std::string(name_of(*pod));
  };
  EXPECT_EQ(chief(resnet()), "resnet-ddp-master-0");
  EXPECT_EQ(chief(job_of("pytorchjob", "j", {})), "");
  const ObjectPtr old = pod_of({.name = "old", .role = "master", .phase = "Failed", .made = 1});
  const ObjectPtr young = pod_of({.name = "young", .role = "master", .made = 9});
  const ObjectPtr waits =
      pod_of({.name = "waits", .role = "master", .phase = "Pending", .made = 20});
  EXPECT_EQ(chief(job_of("pytorchjob", "j", {}, {old, waits, young})), "young");
  EXPECT_EQ(chief(job_of("pytorchjob", "j", {}, {waits})), "waits");
}

TEST(ChiefOf, ATfJobWithoutOneIsItsFirstWorker) {
  const std::vector<ObjectPtr> pods{pod_of({.name = "ps", .role = "ps"}, "tfjob"),
                                    pod_of({.name = "w0", .index = 0}, "tfjob"),
                                    pod_of({.name = "w1", .index = 1}, "tfjob")};
  EXPECT_EQ(name_of(*chief_of(job_of("tfjob", "j", {}, pods))), "w0");
}

TEST(PodRole, IsReadFromBothFamiliesOfLabels) {
  const auto role = [](const std::string& labels) {
    const ObjectPtr pod = object_from("metadata: {labels: {" + labels + "}}");
    return pod_role(pod->body()) + (is_of_kubeflow(pod->body()) ? "" : " of nobody");
  };
  EXPECT_EQ(role("pytorch-replica-type: master, group-name: kubeflow.org"), "master");
  EXPECT_EQ(role("tf-replica-type: ps, group_name: kubeflow.org"), "ps");
  EXPECT_EQ(role("mpi_role_type: launcher, group_name: kubeflow.org"), "launcher");
  EXPECT_EQ(role("training.kubeflow.org/replica-type: Worker, training.kubeflow.org/job-name: j"),
            "worker");
  EXPECT_EQ(role("training.kubeflow.org/job-role: launcher, "
                 "training.kubeflow.org/operator-name: mpi-operator"),
            "launcher");
  EXPECT_EQ(role("app: web"), " of nobody");
}

TEST(DurationOf, BeginsWithTheStartAndEndsWithTheEnd) {
  const auto duration = [](const std::string& type, const std::string& status,
                           std::vector<std::string> conditions = {"Running"}) {
    return duration_of(job_of(type, "j", conditions, {}, status), at(100));
  };
  const std::string started = "  startTime: '2024-05-06T09:30:10Z'\n";
  const std::string completed = started + "  completionTime: '2024-05-06T09:30:40Z'\n";
  EXPECT_EQ(duration("pytorchjob", ""), 0s);
  EXPECT_EQ(duration("pytorchjob", started), 90s);
  EXPECT_EQ(duration("pytorchjob", completed, {"Succeeded"}), 30s);
  EXPECT_EQ(duration("mpijob", started), 100s);  // from its creation on
  EXPECT_EQ(duration("mpijob", completed, {"Succeeded"}), 40s);
}

TEST(DurationOf, AJobThatFailedWithoutAnEndHasThatOfItsChief) {
  const ObjectPtr chief = object_from(
      "metadata: {name: m, labels: {pytorch-replica-type: master}}\n"
      "status: {phase: Failed, conditions: [{type: Ready, lastTransitionTime: "
      "'2024-05-06T09:30:25Z'}, {type: Initialized, lastTransitionTime: '2024-05-06T09:30:05Z'}]}");
  const TrainingJob job =
      job_of("pytorchjob", "j", {"Failed"}, {chief}, "  startTime: '2024-05-06T09:30:10Z'\n");
  EXPECT_EQ(duration_of(job, at(100)), 25s);
}

TEST(AgeOf, OfATfJobBeginsWithItsStart) {
  EXPECT_EQ(age_of(job_of("pytorchjob", "j", {}), at(42)), 42s);
  EXPECT_EQ(age_of(job_of("tfjob", "j", {}), at(42)), 0s);
  EXPECT_EQ(age_of(job_of("tfjob", "j", {}, {}, "  startTime: '2024-05-06T09:30:02Z'\n"), at(42)),
            40s);
}

TEST(Gpus, AreThoseOfTheAnnotationElseOfThePodsThatExist) {
  EXPECT_EQ(requested_gpus(resnet()), 3);
  EXPECT_EQ(running_gpus(resnet()), 2);
  EXPECT_EQ(held_gpus(resnet()), 2);
  const TrainingJob noted{
      training_type("pytorchjob"),
      object_from("metadata: {name: j, annotations: {requestGPUsOfJobOwner: '8'}}"), resnet().pods};
  EXPECT_EQ(requested_gpus(noted), 8);
}

TEST(Gpus, OfAPodAreItsContainersLimits) {
  const ObjectPtr pod = object_from(
      "spec:\n"
      "  initContainers: [{resources: {limits: {nvidia.com/gpu: 4}}}]\n"
      "  containers:\n"
      "  - {resources: {limits: {nvidia.com/gpu: '2'}, requests: {nvidia.com/gpu: '2'}}}\n"
      "  - {resources: {limits: {alpha.kubernetes.io/nvidia-gpu: 1}}}\n"
      "  - {resources: {limits: {amd.com/gpu: 1}}}\n");
  EXPECT_EQ(pod_gpus(pod->body()), 3);
}

}  // namespace
}  // namespace trainyard::cli::arena
