#include "cli/jobs/job_story.h"

#include <gtest/gtest.h>

namespace trainyard::cli {
namespace {

const Json kJob{
    {"apiVersion", "batch.tensorstack.dev/v1beta1"},
    {"kind", "PyTorchTrainingJob"},
    {"metadata",
     {{"name", "fit"},
      {"namespace", "team"},
      {"uid", "u1"},
      {"creationTimestamp", "2026-11-16T10:00:00Z"}}},
    {"spec",
     {{"runPolicy", {{"backoffLimit", 3}}},
      {"torchrunConfig", {{"enabled", true}, {"procPerNode", "4"}}},
      {"replicaSpecs",
       {{{"type", "node"},
         {"replicas", 2},
         {"template",
          {{"spec",
            {{"containers",
              {{{"name", "main"},
                {"image", "torch:2"},
                {"args", {"train.py", "--lr=3"}},
                {"resources",
                 {{"requests", {{"cpu", "2"}, {"memory", "1Gi"}}}, {"limits", {{"cpu", 4}}}}},
                {"volumeMounts", {{{"name", "d"}, {"mountPath", "/data"}, {"readOnly", true}}}}}}},
             {"volumes",
              {{{"name", "d"}, {"persistentVolumeClaim", {{"claimName", "mnist"}}}}}}}}}}}}}}},
    {"status",
     {{"phase", "Failed"},
      {"startTime", "2026-11-16T10:00:01Z"},
      {"completionTime", "2026-11-16T10:00:26Z"},
      {"backoffCount", 1},
      {"conditions",
       {{{"type", "Failed"}, {"status", "True"}, {"message", "node-0 exited with code 3"}}}}}}};

ObjectPtr event(const char* uid, const char* name, const char* reason, int count) {
  return std::make_shared<const StoredObject>(
      Json{{"involvedObject", {{"uid", uid}, {"name", name}}},
           {"type", "Normal"},
           {"reason", reason},
           {"lastTimestamp", "2026-11-16T10:00:02Z"},
           {"count", count}},
      1);
}

std::string story() {
  return tell_story(kJob, {},
                    {event("u1", "fit", "Created", 1), event("u2", "fit-node-0", "Evicted", 3),
                     event("u2", "fit-node-0", "Scheduled", 1)},
                    *parse_time("2026-11-16T10:10:00Z"));
}

TEST(JobStory, BeginsWithWhatTheJobIsAndWhy) {
  EXPECT_TRUE(story().starts_with(
      "fit is a PyTorchTrainingJob in namespace team, created 10m ago (2026-11-16T10:00:00Z).\n"
      "It has failed, after 25s.\n"
      "The reason: node-0 exited with code 3\n"))
      << story();
}

TEST(JobStory, TellsWhatIsRunAndWithWhat) {
  for (const char* words :
       {"2 × node: torchrun, 4 processes each, of train.py --lr=3", "torch:2",
        "cpu 2 (at most 4), memory 1Gi", "mnist at /data (read only)", "1 of 3 used"}) {
    EXPECT_NE(story().find(words), std::string::npos) << words << "\n" << story();
  }
}

TEST(JobStory, OfAnMpiJobTellsTheProgramAndCountsTheWorkersOnly) {
  const auto group = [](const char* type, int replicas, const char* cpu) {
    return Json{
        {"type", type},
        {"replicas", replicas},
        {"template",
         {{"spec",
           {{"containers", {{{"name", type}, {"resources", {{"requests", {{"cpu", cpu}}}}}}}}}}}}};
  };
  const Json job{{"kind", "MPIJob"},
                 {"metadata", {{"name", "hvd"}, {"namespace", "team"}}},
                 {"spec",
                  {{"mpiConfig", {{"script", {"python", "a.py"}}}},
                   {"replicaSpecs", {group("launcher", 1, "100m"), group("worker", 4, "2")}}}}};
  EXPECT_EQ(asked_for(job, "cpu"), "8");
  const std::string told = tell_story(job, {}, {}, *parse_time("2026-11-16T10:10:00Z"));
  EXPECT_TRUE(told.starts_with("hvd is an MPIJob in namespace team")) << told;
  EXPECT_NE(told.find("  1 × launcher\n"), std::string::npos) << told;
  EXPECT_NE(told.find("  4 × worker: python a.py, started by mpirun\n"), std::string::npos) << told;
}

TEST(JobStory, TellsWhomEventsAreAbout) {
  EXPECT_NE(story().find("the job"), std::string::npos);
  EXPECT_NE(story().find("2026-11-16T10:00:02Z (3 times)"), std::string::npos) << story();
  EXPECT_NE(story().find("fit-node-0"), std::string::npos);
  EXPECT_EQ(story().find("Scheduled"), std::string::npos) << "every pod goes through that";
}

TEST(JobStory, SumsWhatAllReplicasAskFor) {
  EXPECT_EQ(asked_for(kJob, "cpu"), "4 / 8");
  EXPECT_EQ(asked_for(kJob, "memory"), "2Gi");
  EXPECT_EQ(asked_for(kJob, "nvidia.com/gpu"), "-");
}

}  // namespace
}  // namespace trainyard::cli
