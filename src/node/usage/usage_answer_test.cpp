#include "node/usage/usage_answer.h"

#include "monitor/series/series_block.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <span>

namespace trainyard::node {
namespace {

using monitor::SeriesRow;
using monitor::ValueRange;

/// What is known of a pod, to be changed before it is asked for.
struct Made {
  RecordedPod pod;
  std::vector<SeriesRow> rows;
  std::size_t written = 0;  // of the rows, in a block

  PodSeries series() const {
    const std::span<const SeriesRow> all(rows);
    return {
        std::make_shared<const RecordedPod>(pod), monitor::write_block(all.first(written)),
        std::vector<SeriesRow>(rows.begin() + static_cast<std::ptrdiff_t>(written), rows.end())};
  }
};

/// Uses `cpu` CPUs from one second to another. Half of it is on disk.
Made pod(const std::string& name, std::int64_t from, std::int64_t to, float cpu) {
  Made made;
  made.pod.key = {"default", name};
  made.pod.uid = "uid-" + name;
  made.pod.labels = JsonObject{{"app", name}};
  made.pod.owners = {{"Job", "fit", "job"}};
  made.pod.node = "node-0";
  made.pod.requests["cpu"] = 2;
  made.pod.limits = {{"cpu", 4}, {"nvidia.com/gpu", 1}};
  made.pod.columns = {"main/cpu"};
  made.pod.begin = from * 1000;
  made.pod.end = to * 1000;
  for (std::int64_t i = from; i < to; ++i) {
    made.rows.push_back({{i * 1000, (i + 1) * 1000}, {ValueRange::of(cpu)}});
  }
  made.written = made.rows.size() / 2;
  return made;
}

WallTime at(std::int64_t second) {
  return WallTime(std::chrono::seconds(second));
}

TEST(UsageAnswer, SpansFromTheFirstStartToTheLastEnd) {
  const auto a = pod("a", 100, 130, 1);
  const auto b = pod("b", 110, 150, 2);
  const auto answer = answer_usage({}, {a.series(), b.series()}, 999'000);
  EXPECT_EQ(answer.from, at(100));
  EXPECT_EQ(answer.step, std::chrono::seconds(1));
  ASSERT_EQ(answer.items.size(), 2U);
  EXPECT_EQ(answer.items[0].usage[0].mean.size(), 50U);
  EXPECT_TRUE(std::isnan(answer.items[0].usage[0].mean[40]));
  EXPECT_EQ(answer.items[1].usage[0].mean[40], 2);
}

TEST(UsageAnswer, WhatRunsReachesToNow) {
  Made running = pod("a", 100, 130, 1);
  running.pod.end = 0;
  const auto answer = answer_usage({}, {running.series()}, 140'000);
  EXPECT_EQ(answer.items[0].usage[0].mean.size(), 40U);
  EXPECT_FALSE(answer.items[0].end);
}

TEST(UsageAnswer, SumsUpWhoIsThere) {
  const auto a = pod("a", 100, 130, 1);
  const auto b = pod("b", 110, 150, 2);
  contract::UsageQuestion question;
  question.together = contract::Together::kSum;
  const auto answer = answer_usage(question, {a.series(), b.series()}, 999'000);
  ASSERT_EQ(answer.items.size(), 1U);
  const contract::UsageHistory& sum = answer.items[0];
  EXPECT_EQ(sum.pods, 2U);
  EXPECT_EQ(sum.usage[0].mean[5], 1);
  EXPECT_EQ(sum.usage[0].mean[15], 3);
  EXPECT_EQ(sum.usage[0].mean[45], 2);
  EXPECT_EQ(sum.requests[0].amount[5], 2);
  EXPECT_EQ(sum.requests[0].amount[15], 4);
  EXPECT_EQ(sum.limits[1].resource, "nvidia.com/gpu");
  EXPECT_EQ(sum.limits[1].amount[15], 2);
}

TEST(UsageAnswer, HasNoMorePointsThanWereAskedFor) {
  const auto a = pod("a", 0, 1000, 1);
  contract::UsageQuestion question;
  question.points = 300;
  const auto answer = answer_usage(question, {a.series()}, 999'000);
  EXPECT_EQ(answer.step, std::chrono::seconds(4));
  EXPECT_EQ(answer.items[0].usage[0].mean.size(), 250U);
}

TEST(UsageAnswer, OfTheTimesThatWereAskedFor) {
  const auto a = pod("a", 0, 1000, 1);
  contract::UsageQuestion question;
  question.from = at(990);
  question.to = at(1010);
  const auto answer = answer_usage(question, {a.series()}, 2'000'000);
  ASSERT_EQ(answer.items[0].usage[0].mean.size(), 20U);
  EXPECT_EQ(answer.items[0].usage[0].mean[9], 1);
  EXPECT_TRUE(std::isnan(answer.items[0].usage[0].mean[10]));
  EXPECT_TRUE(std::isnan(answer.items[0].limits[0].amount[10]));
}

TEST(UsageAnswer, ATimeThatEndsBeforeItBeginsHasNoSteps) {
  const auto a = pod("a", 0, 10, 1);
  contract::UsageQuestion question;
  question.from = at(8);
  question.to = at(2);
  EXPECT_TRUE(answer_usage(question, {a.series()}, 20'000).items[0].usage[0].mean.empty());
}

TEST(UsageAnswer, HasOnlyTheMetricsThatWereAskedFor) {
  const auto a = pod("a", 0, 10, 1);
  contract::UsageQuestion question;
  question.metrics = {"memory", "gpu"};
  EXPECT_TRUE(answer_usage(question, {a.series()}, 20'000).items[0].usage.empty());
  question.metrics.emplace_back("cpu");
  EXPECT_EQ(answer_usage(question, {a.series()}, 20'000).items[0].usage.size(), 1U);
}

TEST(UsageAnswer, KnowsWhichPodsAreMeant) {
  const auto a = pod("a", 0, 10, 1);
  const auto meant = [&](const contract::UsageQuestion& question) {
    return is_meant(a.pod, question) && has_labels(a.pod, question);
  };
  contract::UsageQuestion question;
  EXPECT_TRUE(meant(question));
  question.ns = "default";
  question.owner = "job";
  question.node = "node-0";
  question.labels = *LabelSelector::parse("app=a");
  EXPECT_TRUE(meant(question));
  question.owner = "another";
  EXPECT_FALSE(meant(question));
  question.owner = "";
  question.job = "another";
  EXPECT_FALSE(meant(question));
  question.job = "fit";
  EXPECT_TRUE(meant(question));
  question.labels = *LabelSelector::parse("app=b");
  EXPECT_FALSE(meant(question));
}

TEST(UsageAnswer, PodsThatWereThereAtAnotherTimeAreNotMeant) {
  Made a = pod("a", 100, 130, 1);
  contract::UsageQuestion question;
  question.from = at(130);
  EXPECT_FALSE(is_meant(a.pod, question));
  a.pod.end = 0;
  EXPECT_TRUE(is_meant(a.pod, question)) << "it runs";
  question.from = std::nullopt;
  question.to = at(100);
  EXPECT_FALSE(is_meant(a.pod, question));
}

TEST(UsageAnswer, ContainersAddUpAndCanBeToldApart) {
  Made two = pod("a", 100, 104, 1);
  two.pod.columns = {"main/cpu", "main/diskRead", "main/diskWritten", "side/cpu"};
  constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();
  for (std::size_t i = 0; i < two.rows.size(); ++i) {
    two.rows[i].values = {ValueRange::of(1), ValueRange::of(10), ValueRange::of(5),
                          ValueRange::of(i < 2 ? kUnknown : 0.5F)};
  }
  const auto all = answer_usage({}, {two.series()}, 999'000).items[0].usage;
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[0].name, "cpu");
  EXPECT_EQ(all[0].mean, (std::vector<float>{1, 1, 1.5, 1.5}));
  EXPECT_EQ(all[2].name, "diskBytes");
  EXPECT_EQ(all[2].mean[3], 15) << "read and written";
  contract::UsageQuestion question;
  question.container = "side";
  const auto one = answer_usage(question, {two.series()}, 999'000).items[0].usage;
  ASSERT_EQ(one.size(), 1U);
  EXPECT_TRUE(std::isnan(one[0].mean[0])) << "it had not begun";
  EXPECT_EQ(one[0].mean[3], 0.5);
}

TEST(UsageAnswer, ReplicasBecomeOneInFourWays) {
  using contract::Together;
  const auto a = pod("a", 100, 110, 1);
  const auto b = pod("b", 100, 110, 3);
  for (const auto& [how, expected] : {std::pair{Together::kSum, 4.0F},
                                      {Together::kMean, 2.0F},
                                      {Together::kLeast, 1.0F},
                                      {Together::kGreatest, 3.0F}}) {
    contract::UsageQuestion question;
    question.together = how;
    EXPECT_EQ(answer_usage(question, {a.series(), b.series()}, 999'000).items[0].usage[0].mean[5],
              expected);
  }
}

TEST(UsageAnswer, StepsAreAsLongAsAskedForUnlessTheyWouldBeTooMany) {
  const auto a = pod("a", 0, 1000, 1);
  contract::UsageQuestion question;
  question.step = std::chrono::seconds(30);
  EXPECT_EQ(answer_usage(question, {a.series()}, 999'000).step, std::chrono::seconds(30));
  question.points = 10;
  EXPECT_EQ(answer_usage(question, {a.series()}, 999'000).step, std::chrono::seconds(100));
}

}  // namespace
}  // namespace trainyard::node
