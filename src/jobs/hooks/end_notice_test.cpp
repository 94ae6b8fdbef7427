#include "jobs/hooks/end_notice.h"

#include <gtest/gtest.h>

namespace trainyard::jobs {
namespace {

Json job(const char* status) {
  Json made{{"kind", "PyTorchTrainingJob"},
            {"metadata", {{"name", "mnist"}, {"namespace", "vision"}, {"uid", "u1"}}}};
  made.as_object()["status"] = *parse_json(status);
  return made;
}

TEST(EndNotice, TellsHowAJobEndedAndWhy) {
  const Json failed = job(R"({"phase": "Failed", "startTime": "2026-01-01T00:00:00Z",
    "completionTime": "2026-01-01T00:02:00Z",
    "conditions": [{"type": "Failed", "status": "True", "message": "worker-0 exited with 1"}]})");
  EXPECT_EQ(end_of(failed), "Failed");
  const Json notice = end_notice(failed);
  EXPECT_EQ(string_at(notice, "text"), "job vision/mnist Failed after 2m: worker-0 exited with 1");
  EXPECT_EQ(int_at(notice, "seconds"), 120);
  EXPECT_EQ(string_at(notice, "ended"), "2026-01-01T00:02:00Z");
}

TEST(EndNotice, KnowsKubeflowsJobsByTheirConditions) {
  const Json done = job(R"({"conditions": [{"type": "Running", "status": "False"},
    {"type": "Succeeded", "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z"}]})");
  EXPECT_EQ(end_of(done), "Succeeded");
  EXPECT_TRUE(end_time(done));
}

TEST(EndNotice, IsNotForJobsThatGoOn) {
  for (const char* status : {"{}", R"({"phase": "Running"})", R"({"phase": "Paused"})",
                             R"({"conditions": [{"type": "Failed", "status": "False"}]})"}) {
    EXPECT_EQ(end_of(job(status)), "") << status;
    EXPECT_FALSE(end_time(job(status))) << status;
  }
}

}  // namespace
}  // namespace trainyard::jobs
