#include "cli/arena/commands/log_choice.h"

#include "cli/arena/views/objects_for_tests.h"

#include <gtest/gtest.h>

namespace trainyard::cli::arena {
namespace {

client::KeptLog kept(const std::string& pod, const std::string& uid, std::int64_t time,
                     const std::string& role = "worker") {
  return {Key{"vision", pod},
          uid,
          {{"release", "resnet-ddp"},
           {"app", "pytorchjob"},
           {"training.kubeflow.org/job-name", "resnet-ddp"},
           {"training.kubeflow.org/replica-type", role}},
          at(time)};
}

std::string chosen(const TrainingJob& job, const std::string& named = "") {
  const auto pod = choose_instance(job, named);
  return pod ? std::string(uid_of(**pod)) : pod.error().message();
}

TEST(ChooseInstance, TakesTheNamedTheOnlyOrTheChief) {
  EXPECT_EQ(chosen(resnet()), "uid-resnet-ddp-master-0");
  EXPECT_EQ(chosen(resnet(), "resnet-ddp-worker-1"), "uid-resnet-ddp-worker-1");
  EXPECT_EQ(chosen(resnet(), "x"),
            "the job resnet-ddp has no instance x: `arena get resnet-ddp` shows those that it has");
  TrainingJob job = resnet();
  job.pods.erase(job.pods.begin());
  EXPECT_EQ(chosen(job),
            "the job resnet-ddp has 2 instances:\nresnet-ddp-worker-0\nresnet-ddp-worker-1\nsay "
            "which one with -i or --instance");
  job.pods.pop_back();
  EXPECT_EQ(chosen(job), "uid-resnet-ddp-worker-0");
  job.pods.clear();
  EXPECT_EQ(chosen(job),
            "the job resnet-ddp has no instances (yet): `arena get resnet-ddp` says how it is");
}

TEST(KeptLogs, StandInForInstancesThatAreGone) {
  TrainingJob job = resnet();
  job.pods.pop_back();
  job.pods.erase(job.pods.begin());
  const TrainingJob with =
      with_kept_instances(job, {kept("resnet-ddp-master-0", "older", -5, "master"),
                                kept("resnet-ddp-master-0", "first", 5, "master"),
                                kept("resnet-ddp-master-0", "second", 9, "master"),
                                kept("resnet-ddp-worker-0", "w", 9)});
  ASSERT_EQ(with.pods.size(), 2U);
  EXPECT_EQ(chosen(with), "second");
  EXPECT_TRUE(is_gone(with.pods[0]->body()));
  EXPECT_EQ(choose_container(with, with.pods[0]->body(), ""), "pytorch");
  EXPECT_EQ(chosen(with, "resnet-ddp-worker-0"), "uid-resnet-ddp-worker-0");
}

TEST(KeptLogs, AreAllThatIsLeftOfADeletedJob) {
  const auto job = job_from_kept("resnet-ddp", "vision", {kept("resnet-ddp-worker-0", "w", 9)});
  ASSERT_TRUE(job);
  EXPECT_EQ(chosen(*job), "w");
  EXPECT_FALSE(job_from_kept("other", "vision", {kept("resnet-ddp-worker-0", "w", 9)}));
}

ObjectPtr pod_at(const std::string& phase, const std::string& init_state) {
  return object_from(
      "spec: {containers: [{name: sidecar}, {name: pytorch}], initContainers: [{name: "
      "init-code}]}\n"
      "status: {phase: " +
      phase + ", initContainerStatuses: [{name: init-code, state: {" + init_state + "}}]}");
}

TEST(ChooseContainer, IsTheInitContainerWhileThePodIsThere) {
  const auto container = [](const std::string& phase, const std::string& init) {
    const ObjectPtr pod = pod_at(phase, init);
    return choose_container(resnet(), pod->body(), "") +
           (has_not_started(pod->body()) ? " not started" : "");
  };
  EXPECT_EQ(container("Pending", "running: {}"), "init-code");
  EXPECT_EQ(container("Failed", "terminated: {exitCode: 128}"), "init-code");
  EXPECT_EQ(container("Pending", "waiting: {reason: PodInitializing}"), "pytorch not started");
  EXPECT_EQ(container("Pending", "terminated: {exitCode: 0}"), "pytorch not started");
  EXPECT_EQ(container("Running", "terminated: {exitCode: 0}"), "pytorch");
  EXPECT_EQ(choose_container(resnet(), pod_at("Pending", "running: {}")->body(), "x"), "x");
}

TEST(LogStart, IsRelativeOrATimeButNotBoth) {
  const auto start = [](const std::string& since, const std::string& time) -> std::string {
    LogsFlags flags;
    flags.since = since;
    flags.since_time = time;
    const auto read = log_start(flags, at(3600));
    return !read ? read.error().message() : *read ? format_time(**read) : "-";
  };
  EXPECT_EQ(start("", ""), "-");
  EXPECT_EQ(start("1h", ""), "2024-05-06T09:30:00Z");
  EXPECT_EQ(start("30m30s", ""), "2024-05-06T09:59:30Z");
  EXPECT_EQ(start("90", ""), "2024-05-06T10:28:30Z");
  EXPECT_EQ(start("", "2024-05-06T09:00:00Z"), "2024-05-06T09:00:00Z");
  EXPECT_EQ(start("1h", "2024-05-06T09:00:00Z"),
            "only one of --since and --since-time can be given");
  EXPECT_EQ(start("1d", ""), "--since 1d: write hours, minutes and seconds, such as 1h30m");
  EXPECT_EQ(start("1.5h", ""), "--since 1.5h: write a time such as 30s, 10m or 1h30m");
  EXPECT_EQ(start("", "yesterday"),
            "--since-time yesterday: write a time such as "
            "2024-05-06T09:30:00Z");
}

}  // namespace
}  // namespace trainyard::cli::arena
