#include "cli/jobs/job_progress.h"

#include <gtest/gtest.h>

namespace trainyard::cli {
namespace {

TEST(JobProgress, IsReadByTheJobsUid) {
  const auto answer = parse_json(R"({"items": [
      {"owner": "a", "progress": {"words": "step 3/9, 1 steps/s", "share": 0.3, "rate": 1}},
      {"owner": "b", "progress": {"words": "epoch 1", "values": {"loss": 1}}},
      {"owner": "", "progress": {"words": "nobody's"}},
      {"metadata": {"name": "a pod of another server"}}]})");
  ASSERT_TRUE(answer);
  const std::map<std::string, std::string> expected{{"a", "step 3/9, 1 steps/s"}, {"b", "epoch 1"}};
  EXPECT_EQ(read_job_progress(*answer), expected);
  EXPECT_TRUE(read_job_progress(Json()).empty());
}

}  // namespace
}  // namespace trainyard::cli
