#include "workloads/batch/indexes.h"
#include "workloads/batch/job_pods.h"
#include "workloads/batch/test_jobs.h"

#include <gtest/gtest.h>

#include <set>

namespace trainyard::workloads {
namespace {

using namespace std::chrono_literals;

class JobTest : public testing::Test {
 protected:
  std::string failure() { return condition_field(jobs_.job(), "Failed", "reason"); }
  std::size_t active() { return jobs_.active_pods().size(); }
  TestJobs jobs_;
};

TEST_F(JobTest, RunsOnePodToItsEnd) {
  jobs_.submit({{"completions", 1}, {"parallelism", 1}});
  ASSERT_EQ(active(), 1U);
  const Json pod = jobs_.active_pods()[0]->body();
  EXPECT_TRUE(name_of(pod).starts_with("work-"));
  EXPECT_EQ(string_at(*controller_of(pod), "uid"), "job-uid");
  EXPECT_EQ(jobs_.status("active"), 1);
  EXPECT_FALSE(string_at(jobs_.job(), "status.startTime").empty());
  jobs_.end_all(true);
  EXPECT_TRUE(jobs_.has_condition("Complete"));
  EXPECT_TRUE(jobs_.has_condition("SuccessCriteriaMet"));
  EXPECT_EQ(jobs_.status("succeeded"), 1);
  EXPECT_EQ(jobs_.status("active"), 0);
  EXPECT_FALSE(string_at(jobs_.job(), "status.completionTime").empty());
  EXPECT_TRUE(jobs_.has_event("Completed"));
  for (const ObjectPtr& left : jobs_.world.api.all(kPods)) EXPECT_FALSE(is_tracked(left->body()));
}

TEST_F(JobTest, RunsNoMoreAtOnceThanIsAskedFor) {
  jobs_.submit({{"completions", 5}, {"parallelism", 2}});
  EXPECT_EQ(active(), 2U);
  jobs_.end_all(true);
  EXPECT_EQ(active(), 2U);
  jobs_.end_all(true);
  EXPECT_EQ(active(), 1U);
  jobs_.end_all(true);
  EXPECT_TRUE(jobs_.has_condition("Complete"));
  EXPECT_EQ(jobs_.status("succeeded"), 5);
}

TEST_F(JobTest, AnyOneWillDoWhenNoCompletionsAreAskedFor) {
  jobs_.submit({{"parallelism", 3}});
  ASSERT_EQ(active(), 3U);
  jobs_.end_pod(jobs_.active_pods()[0], true);
  jobs_.pass(1s);
  EXPECT_EQ(active(), 2U) << "no more are begun, and those that run may finish";
  EXPECT_FALSE(jobs_.has_condition("Complete"));
  jobs_.end_all(true);
  EXPECT_TRUE(jobs_.has_condition("Complete"));
}

TEST_F(JobTest, TriesAgainLaterAndLaterAndGivesUp) {
  jobs_.submit({{"completions", 1}, {"parallelism", 1}, {"backoffLimit", 2}});
  jobs_.end_all(false);
  EXPECT_EQ(active(), 0U) << "not at once";
  jobs_.pass(10s);
  EXPECT_EQ(active(), 1U);
  jobs_.end_all(false);
  jobs_.pass(11s);
  EXPECT_EQ(active(), 0U);
  jobs_.pass(10s);
  EXPECT_EQ(active(), 1U);
  jobs_.end_all(false);
  EXPECT_EQ(failure(), "BackoffLimitExceeded");
  EXPECT_EQ(jobs_.status("failed"), 3);
  EXPECT_TRUE(jobs_.has_event("BackoffLimitExceeded"));
  jobs_.pass(10min);
  EXPECT_EQ(active(), 0U);
}

TEST_F(JobTest, ContainersThatAreStartedAgainCountAsFailures) {
  jobs_.submit({{"completions", 1}, {"parallelism", 1}, {"backoffLimit", 2}});
  jobs_.change({{"template", {{"spec", {{"restartPolicy", "OnFailure"}}}}}});
  Json pod = jobs_.active_pods()[0]->body();
  make_path(pod, "status.containerStatuses") = JsonArray{{{"restartCount", 2}}};
  jobs_.world.api.put(kPods, std::move(pod));
  jobs_.pass(2s);
  EXPECT_EQ(failure(), "BackoffLimitExceeded");
  EXPECT_EQ(active(), 0U);
}

TEST_F(JobTest, EndsItsPodsAtTheDeadline) {
  jobs_.submit({{"completions", 2}, {"parallelism", 2}, {"activeDeadlineSeconds", 30}});
  jobs_.pass(28s);
  EXPECT_EQ(active(), 2U);
  jobs_.pass(3s);
  EXPECT_EQ(active(), 0U);
  EXPECT_EQ(failure(), "DeadlineExceeded");
  EXPECT_EQ(jobs_.status("failed"), 2);
}

TEST_F(JobTest, WaitsWhileItIsSuspendedAndCountsNoFailureForIt) {
  jobs_.submit({{"completions", 1}, {"parallelism", 1}, {"suspend", true}});
  EXPECT_EQ(active(), 0U);
  EXPECT_TRUE(jobs_.has_condition("Suspended"));
  EXPECT_TRUE(string_at(jobs_.job(), "status.startTime").empty());
  jobs_.change({{"suspend", false}});
  EXPECT_EQ(active(), 1U);
  jobs_.change({{"suspend", true}});
  EXPECT_EQ(active(), 0U);
  EXPECT_EQ(jobs_.status("failed"), 0);
  jobs_.change({{"suspend", false}});
  EXPECT_FALSE(jobs_.has_condition("Suspended"));
  jobs_.end_all(true);
  EXPECT_TRUE(jobs_.has_condition("Complete"));
}

TEST_F(JobTest, EndsPodsWhenParallelismShrinks) {
  jobs_.submit({{"completions", 9}, {"parallelism", 4}});
  jobs_.change({{"parallelism", 1}});
  EXPECT_EQ(active(), 1U);
  EXPECT_EQ(jobs_.status("failed"), 0);
}

TEST_F(JobTest, AnIndexedJobGivesEachPodANumber) {
  jobs_.submit({{"completions", 4}, {"parallelism", 2}, {"completionMode", "Indexed"}});
  const auto numbers = [&] {
    std::set<std::int64_t> found;
    for (const ObjectPtr& pod : jobs_.active_pods()) found.insert(*completion_index(pod->body()));
    return found;
  };
  EXPECT_EQ(numbers(), (std::set<std::int64_t>{0, 1}));
  const Json first = jobs_.active_pods()[0]->body();
  EXPECT_EQ(string_at(first, "spec.hostname"), "work-0");
  const Json variable = array_at(array_at(first, "spec.containers").at(0), "env").at(0);
  EXPECT_EQ(variable, (Json{{"name", "JOB_COMPLETION_INDEX"}, {"value", "0"}}));
  jobs_.end_pod(jobs_.active_pods()[1], true);
  jobs_.pass(1s);
  EXPECT_EQ(numbers(), (std::set<std::int64_t>{0, 2}));
  EXPECT_EQ(string_at(jobs_.job(), "status.completedIndexes"), "1");
  jobs_.end_all(true);
  jobs_.end_all(true);
  EXPECT_TRUE(jobs_.has_condition("Complete"));
  EXPECT_EQ(string_at(jobs_.job(), "status.completedIndexes"), "0-3");
}

TEST_F(JobTest, RemembersPodsThatSomebodyDeletes) {
  jobs_.submit({{"completions", 3}, {"parallelism", 1}});
  for (int i = 0; i < 3; ++i) {
    const ObjectPtr pod = jobs_.active_pods().at(0);
    jobs_.end_pod(pod, true);
    EXPECT_TRUE(jobs_.world.api.user_removes(kPods, key_of(pod->body())));
    jobs_.pass(1s);
  }
  EXPECT_EQ(jobs_.status("succeeded"), 3);
  EXPECT_TRUE(jobs_.has_condition("Complete"));
  EXPECT_TRUE(jobs_.world.api.all(kPods).empty());
}

TEST_F(JobTest, GoesWhenItsTimeAfterTheEndIsOver) {
  jobs_.submit({{"completions", 1}, {"parallelism", 1}, {"ttlSecondsAfterFinished", 60}});
  jobs_.end_all(true);
  jobs_.pass(50s);
  EXPECT_TRUE(jobs_.exists());
  EXPECT_FALSE(is_being_deleted(jobs_.job()));
  jobs_.pass(15s);
  EXPECT_TRUE(is_being_deleted(jobs_.job())) << "in the foreground: its pods go first";
}

TEST_F(JobTest, LetsThePodsOfAJobThatIsGoneGo) {
  jobs_.submit({{"completions", 2}, {"parallelism", 2}});
  jobs_.world.api.erase(kJobs, TestJobs::kKey);
  jobs_.restart();
  jobs_.pass(1s);
  for (const ObjectPtr& pod : jobs_.active_pods()) EXPECT_FALSE(is_tracked(pod->body()));
}

TEST_F(JobTest, LeavesJobsOfOtherControllersAlone) {
  jobs_.submit({{"completions", 1}, {"managedBy", "example.com/other"}});
  EXPECT_EQ(active(), 0U);
  EXPECT_EQ(find(jobs_.job(), "status"), nullptr);
}

TEST(Indexes, AreWrittenAsRanges) {
  EXPECT_EQ(format_indexes({0, 2, 3, 4, 6, 7}), "0,2-4,6,7");
  EXPECT_EQ(parse_indexes("0,2-4,6,7", 7), (Indexes{0, 2, 3, 4, 6}));
  EXPECT_EQ(parse_indexes("", 7), Indexes());
  EXPECT_EQ(parse_indexes("x,1-,3-99999999999999", 5), (Indexes{3, 4}));
}

}  // namespace
}  // namespace trainyard::workloads
