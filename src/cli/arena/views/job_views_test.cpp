#include "cli/arena/nodes/gpu_metrics.h"
#include "cli/arena/views/data_view.h"
#include "cli/arena/views/event_table.h"
#include "cli/arena/views/get_view.h"
#include "cli/arena/views/job_json.h"
#include "cli/arena/views/list_view.h"
#include "cli/arena/views/objects_for_tests.h"
#include "cli/arena/views/tensorboard_address.h"
#include "cli/arena/views/top_job_view.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace trainyard::cli::arena {
namespace {

std::vector<TrainingJob> some_jobs() {
  std::vector<TrainingJob> jobs{resnet()};
  jobs.push_back(job_of("tfjob", "unet-seg", {"Failed"},
                        {pod_of({.name = "unet-seg-worker-0", .phase = "Failed"}, "tfjob")},
                        "  startTime: '2024-05-06T09:25:00Z'\n"
                        "  completionTime: '2024-05-06T09:36:00Z'\n"));
  jobs.push_back(job_of("tfjob", "new", {}));
  return jobs;
}

TEST(ListTable, HasTheClassicColumns) {
  std::vector<TrainingJob> jobs = some_jobs();
  sort_newest_first(jobs);
  EXPECT_EQ(list_table(jobs, at(42), {}),
            "NAME        STATUS   TRAINER     AGE  NODE\n"
            "new         PENDING  TFJOB       0s   N/A\n"
            "resnet-ddp  PENDING  PYTORCHJOB  42s  10.0.3.12\n"
            "unet-seg    FAILED   TFJOB       5m   N/A\n");
  EXPECT_EQ(list_table({}, at(0), {}), "NAME  STATUS  TRAINER  AGE  NODE\n");
}

TEST(ListTable, HasNamespacesFirstAndTodaysColumnsWhenWide) {
  EXPECT_EQ(list_table(some_jobs(), at(42), {true, true}),
            "NAMESPACE  NAME        STATUS   TRAINER     DURATION  GPU(Requested)  GPU(Allocated)  "
            "NODE\n"
            "vision     resnet-ddp  PENDING  PYTORCHJOB  41s       3               2               "
            "10.0.3.12\n"
            "vision     unet-seg    FAILED   TFJOB       11m       1               N/A             "
            "10.0.3.12\n"
            "vision     new         PENDING  TFJOB       0s        0               0               "
            "N/A\n");
}

TEST(ClassicJob, IsFourLinesAndATable) {
  JobExtras extras;
  extras.tensorboard = "http://10.0.3.1:31544";
  EXPECT_EQ(classic_job(resnet(), extras, at(42)),
            "STATUS: PENDING\n"
            "NAMESPACE: vision\n"
            "PRIORITY: N/A\n"
            "TRAINING DURATION: 41s\n"
            "\n"
            "NAME        STATUS   TRAINER     AGE  INSTANCE             NODE\n"
            "resnet-ddp  RUNNING  PYTORCHJOB  42s  resnet-ddp-master-0  10.0.3.12\n"
            "resnet-ddp  RUNNING  PYTORCHJOB  42s  resnet-ddp-worker-0  10.0.3.12\n"
            "resnet-ddp  PENDING  PYTORCHJOB  42s  resnet-ddp-worker-1  N/A\n"
            "\n"
            "Your tensorboard will be available on:\n"
            "http://10.0.3.1:31544\n");
}

TEST(WideJob, HasSections) {
  setenv("TZ", "UTC", 1);
  JobExtras extras;
  extras.tensorboard = "http://10.0.3.1:31544";
  extras.show_gpus = true;
  constexpr double kMebi = 1024.0 * 1024.0;
  extras.gpus["resnet-ddp-master-0"] = {{"0", 97, 11012 * kMebi, 15360 * kMebi},
                                        {"1", 95, 10876 * kMebi, 15360 * kMebi}};
  EXPECT_EQ(wide_job(resnet(), extras, at(42)),
            "Name:        resnet-ddp\n"
            "Status:      PENDING\n"
            "Namespace:   vision\n"
            "Priority:    N/A\n"
            "Trainer:     PYTORCHJOB\n"
            "Duration:    41s\n"
            "CreateTime:  2024-05-06 09:30:00\n"
            "EndTime:\n"
            "\n"
            "Instances:\n"
            "  NAME                 STATUS   AGE  IS_CHIEF  GPU(Requested)  NODE\n"
            "  ----                 ------   ---  --------  --------------  ----\n"
            "  resnet-ddp-master-0  Running  41s  true      1               gpu-node-02\n"
            "  resnet-ddp-worker-0  Running  41s  false     1               gpu-node-02\n"
            "  resnet-ddp-worker-1  Pending  41s  false     1               N/A\n"
            "\n"
            "GPUs:\n"
            "  INSTANCE             NODE(IP)   GPU(Requested)  GPU(IndexId)  GPU(DutyCycle)  GPU "
            "Memory(Used/Total)\n"
            "  --------             --------   --------------  ------------  --------------  "
            "----------------------\n"
            "  resnet-ddp-master-0  10.0.3.12  1               0             97.0%           "
            "11012.0/15360.0(MiB)\n"
            "                                                  1             95.0%           "
            "10876.0/15360.0(MiB)\n"
            "  resnet-ddp-worker-0  10.0.3.12  1               N/A           N/A             N/A\n"
            "  resnet-ddp-worker-1  N/A        1               N/A           N/A             N/A\n"
            "\n"
            "  Allocated/Requested GPUs of Job: 2/3\n"
            "\n"
            "Tensorboard:\n"
            "  Your tensorboard will be available on:\n"
            "  http://10.0.3.1:31544\n");
}

ObjectPtr event(const std::string& pod, const std::string& type, const std::string& reason,
                const std::string& message, std::int64_t time) {
  return object_from("type: " + type + "\nreason: " + reason + "\nmessage: '" + message +
                     "'\nlastTimestamp: '" + format_time(at(time)) +
                     "'\ninvolvedObject: {kind: Pod, name: " + pod + ", uid: uid-" + pod + "}\n");
}

TEST(EventTable, IsInTheOrderOfInstancesAndTime) {
  const std::vector<ObjectPtr> events{
      event("resnet-ddp-worker-1", "Normal", "TriggeredScaleUp", "pod triggered scale-up", 30),
      event("resnet-ddp-worker-1", "Warning", "FailedScheduling", "0/4 nodes are available", 7),
      event("somebody-else", "Normal", "Started", "started", 1),
      event("resnet-ddp-master-0", "Normal", "Started", "started", 40)};
  EXPECT_EQ(event_table(resnet(), events, at(42)),
            "Events:\n"
            "SOURCE                   TYPE     AGE  MESSAGE\n"
            "--------                 ----     ---  -------\n"
            "pod/resnet-ddp-master-0  Normal   2s   [Started] started\n"
            "\n"
            "pod/resnet-ddp-worker-1  Warning  35s  [FailedScheduling] 0/4 nodes are available\n"
            "pod/resnet-ddp-worker-1  Normal   12s  [TriggeredScaleUp] pod triggered scale-up\n"
            "\n");
  EXPECT_EQ(event_table(resnet(), {}, at(42)),
            "Events:\nThe instances of resnet-ddp have no events.\n");
  EXPECT_EQ(pending_reason(resnet(), events),
            "pod/resnet-ddp-worker-1: [FailedScheduling] 0/4 nodes are available");
  EXPECT_EQ(pending_reason(resnet(), {}), "");
}

TEST(TopJobs, AskedMostFirstAndTheRestAsTheyCame) {
  std::vector<TrainingJob> jobs = some_jobs();
  std::swap(jobs[0], jobs[2]);
  sort_by_gpus(jobs);
  EXPECT_EQ(top_jobs_table(jobs, at(42), {}),
            "NAME        GPU(Requests)  GPU(Allocated)  STATUS   TRAINER     AGE  NODE\n"
            "resnet-ddp  3              2               RUNNING  pytorchjob  42s  10.0.3.12\n"
            "unet-seg    1              0               FAILED   tfjob       5m   N/A\n"
            "new         0              0               PENDING  tfjob       0s   N/A\n"
            "\n"
            "\n"
            "Total Allocated GPUs of Training Job:\n"
            "2\n"
            "\n"
            "Total Requested GPUs of Training Job:\n"
            "4\n");
  jobs.front().pods.pop_back();
  EXPECT_EQ(top_jobs_table({jobs.front()}, at(42), {false, true}),
            "NAME        STATUS   TRAINER     AGE  GPU(Requested)  GPU(Allocated)  NODE\n"
            "resnet-ddp  RUNNING  PYTORCHJOB  42s  2               2               10.0.3.12\n"
            "\n"
            "Total Allocated/Requested GPUs of Training Jobs: 2/2\n");
}

TEST(TopInstances, HasARowForEachGpu) {
  constexpr double kMebi = 1024.0 * 1024.0;
  const GpuSamples samples{
      {"resnet-ddp-master-0",
       {{"0", 96.6, 11012 * kMebi, 15360 * kMebi}, {"1", 95.2, 10876 * kMebi, 15360 * kMebi}}}};
  EXPECT_EQ(top_instances_table(resnet(), samples, ""),
            "INSTANCE NAME        GPU(Device Index)  GPU(Duty Cycle)  GPU(Memory MiB)          "
            "STATUS   NODE\n"
            "resnet-ddp-master-0  0                  97%              11012.0MiB / 15360.0MiB  "
            "Running  10.0.3.12\n"
            "                     1                  95%              10876.0MiB / 15360.0MiB  "
            "Running  10.0.3.12\n"
            "resnet-ddp-worker-0  N/A                N/A              N/A                      "
            "Running  10.0.3.12\n"
            "resnet-ddp-worker-1  N/A                N/A              N/A                      "
            "Pending\n");
  EXPECT_EQ(top_instances_table(resnet(), {}, "resnet-ddp-worker-1"),
            "INSTANCE NAME        GPU(Device Index)  GPU(Duty Cycle)  GPU(Memory MiB)  STATUS   "
            "NODE\n"
            "resnet-ddp-worker-1  N/A                N/A              N/A              Pending\n");
}

TEST(GpuFigures, AreSortedOutByPodAndNumber) {
  const auto answer = [](const std::string& value) {
    return *parse_json(R"({"status":"success","data":{"result":[)"
                       R"({"metric":{"pod_name":"p","minor_number":"10"},"value":[1.5,"7"]},)"
                       R"({"metric":{"pod_name":"p","minor_number":"2"},"value":[1.5,")" +
                       value + R"("]},{"metric":{"minor_number":"2"},"value":[1.5,"9"]}]}})");
  };
  GpuSamples samples;
  add_figures(samples, GpuFigure::kDutyCycle, answer("96.5"));
  add_figures(samples, GpuFigure::kUsedBytes, answer("1024"));
  ASSERT_EQ(samples.size(), 1U);
  ASSERT_EQ(samples["p"].size(), 2U);
  EXPECT_EQ(samples["p"][0].index, "2");
  EXPECT_EQ(samples["p"][0].duty_percent, 96.5);
  EXPECT_EQ(samples["p"][0].used_bytes, 1024);
  EXPECT_EQ(samples["p"][1].index, "10");
}

TEST(TensorboardAddress, IsAtTheFirstReadyNodeOrTheLoadBalancer) {
  const auto service = [](const std::string& spec) {
    return std::vector{
        object_from("metadata: {name: s, namespace: vision, labels: {release: resnet-ddp, role: "
                    "tensorboard}}\n" +
                    spec)};
  };
  const auto node = [](const std::string& ready, const std::string& ip) {
    return object_from("status: {conditions: [{type: Ready, status: '" + ready +
                       "'}], addresses: [{type: InternalIP, address: " + ip + "}]}");
  };
  const std::vector<ObjectPtr> nodes{node("False", "10.0.3.1"), node("True", "10.0.3.2")};
  EXPECT_EQ(tensorboard_address(
                resnet(), service("spec: {type: NodePort, ports: [{port: 6006, nodePort: 31544}]}"),
                nodes),
            "http://10.0.3.2:31544");
  EXPECT_EQ(tensorboard_address(resnet(),
                                service("spec: {type: LoadBalancer, ports: [{port: 6006}]}\n"
                                        "status: {loadBalancer: {ingress: [{ip: 1.2.3.4}]}}"),
                                nodes),
            "http://1.2.3.4:6006");
  EXPECT_EQ(tensorboard_address(job_of("pytorchjob", "other", {}),
                                service("spec: {ports: [{nodePort: 1}]}"), nodes),
            "");
}

TEST(DataTable, ShowsWhatIsBound) {
  const auto claim = [](const std::string& name, const std::string& more) {
    return object_from("metadata: {name: " + name + ", namespace: vision, " + more +
                       "}\nspec: {accessModes: [ReadWriteMany, ReadWriteOnce, ReadWriteMany]}\n"
                       "status: {phase: " +
                       (name == "waits" ? "Pending" : "Bound") + "}\n");
  };
  const std::vector<ObjectPtr> claims{
      claim("imagenet",
            "creationTimestamp: '2024-04-24T09:30:00Z', annotations: {description: full set, "
            "owner: ann}"),
      claim("scratch", "uid: x"), claim("waits", "uid: y"),
      claim("goes", "deletionTimestamp: '2024-04-24T09:30:00Z'")};
  EXPECT_EQ(data_table(claims, at(0), false),
            "NAME      ACCESSMODE                   DESCRIPTION  OWNER  AGE\n"
            "imagenet  ReadWriteOnce,ReadWriteMany  full set     ann    12d\n"
            "scratch   ReadWriteOnce,ReadWriteMany                      <unknown>\n");
  EXPECT_EQ(data_table({}, at(0), true), "NAME  NAMESPACE  ACCESSMODE  DESCRIPTION  OWNER  AGE\n");
}

TEST(JobJson, HasTheSchemaOfTodaysReleases) {
  TrainingJob job = resnet();
  job.pods.erase(job.pods.begin() + 1, job.pods.end());
  const std::string text = formatted(job_json(job, "", at(42)), "json");
  EXPECT_TRUE(text.starts_with("{\n    \"uuid\": \"uid-resnet-ddp\",\n    \"name\": ")) << text;
  const auto read = parse_json(text);
  ASSERT_TRUE(read);
  EXPECT_EQ(string_at(*read, "duration"), "41s");
  EXPECT_EQ(string_at(*read, "trainer"), "pytorchjob");
  EXPECT_EQ(string_at(*read, "chiefName"), "resnet-ddp-master-0");
  EXPECT_EQ(int_at(*read, "creationTimestamp"), 1714987800);
  const Json& instance = array_at(*read, "instances")[0];
  EXPECT_TRUE(bool_at(instance, "chief"));
  EXPECT_EQ(string_at(instance, "age"), "41s");
  EXPECT_EQ(string_at(instance, "node"), "gpu-node-02");
  EXPECT_EQ(string_at(instance, "nodeIP"), "10.0.3.12");
  const std::string yaml = formatted(job_json(job, "", at(42)), "yaml");
  EXPECT_NE(yaml.find("\nrequestgpus: 1\n"), std::string::npos) << yaml;
  EXPECT_EQ(formatted(JsonArray(), "json"), "[]\n");
  EXPECT_EQ(formatted(JsonArray(), "yaml"), "[]\n");
}

}  // namespace
}  // namespace trainyard::cli::arena
