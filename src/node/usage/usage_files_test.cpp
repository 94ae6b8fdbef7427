#include "node/usage/usage_files.h"

#include "base/files/test_folder.h"
#include "monitor/series/series_block.h"

#include <gtest/gtest.h>

#include <fstream>

namespace trainyard::node {
namespace {

constexpr std::int64_t kHour = 3'600'000;

RecordedPod pod(const std::string& uid, std::int64_t begin, std::int64_t end) {
  RecordedPod made;
  made.key = {"default", "pod-" + uid};
  made.uid = uid;
  made.labels = JsonObject{{"app", "x\"y"}};
  made.owners = {{"Job", "fit", "j"}};
  made.node = "node-0";
  made.requests["cpu"] = 0.5;
  made.limits["memory"] = 1e9;
  made.columns = {"main/cpu", "gpu-0.power"};
  made.begin = begin;
  made.end = end;
  return made;
}

TEST(RecordedPod, ComesBackAsItWas) {
  const RecordedPod before = pod("u", 5, 9);
  const auto after = read_about(about_text(before));
  ASSERT_TRUE(after);
  EXPECT_EQ(after->key, before.key);
  EXPECT_EQ(after->labels, before.labels);
  EXPECT_EQ(after->owners, before.owners);
  EXPECT_EQ(after->node, before.node);
  EXPECT_EQ(after->requests, before.requests);
  EXPECT_EQ(after->limits, before.limits);
  EXPECT_EQ(after->columns, before.columns);
  EXPECT_EQ(after->begin, 5);
  EXPECT_EQ(after->end, 9);
}

TEST(RecordedPod, WhatIsNoPodIsRefused) {
  for (const char* text : {"", "x", "{}", "[]", R"({"uid":"u","name":"a"})", R"({"uid":7})",
                           R"({"uid":"u","name":"a","columns":["c"],"begin":-1})"}) {
    EXPECT_FALSE(read_about(text)) << text;
  }
}

TEST(RecordedPod, HasColumnsOfItsContainersAndGpus) {
  const Json manifest{{"metadata", {{"name", "a"}, {"uid", "u"}}},
                      {"spec",
                       {{"initContainers", JsonArray{{{"name", "first"}}}},
                        {"containers", JsonArray{{{"name", "main"}}}}}}};
  const RecordedPod made = recorded_pod(manifest, {3}, 1);
  ASSERT_EQ(made.columns.size(), 8U + 8 + 6);
  EXPECT_EQ(made.columns[0], "main/cpu");
  EXPECT_EQ(made.columns[8], "first/cpu");
  EXPECT_EQ(made.columns[16], "gpu-3.utilization");
}

class UsageFilesTest : public testing::Test {
 protected:
  void write(const RecordedPod& recorded, std::size_t rows = 10) {
    UsageFiles::Batch batch{std::make_shared<const RecordedPod>(recorded), true, {}};
    for (std::size_t i = 0; i < rows; ++i) {
      const std::int64_t at = recorded.begin + static_cast<std::int64_t>(i) * 2000;
      const auto noise = static_cast<float>((i * 7919) % 1000);
      batch.rows.push_back(
          {{at, at + 2000},
           {monitor::ValueRange::of(noise), monitor::ValueRange::of(1000 - noise)}});
    }
    files_.write({batch});
  }

  TestFolder folder_;
  UsageFiles files_{folder_.path() / "usage"};
};

TEST_F(UsageFilesTest, APodThatWasLeftRunningEndsWithItsLastSample) {
  write(pod("a", 1000, 0));
  const auto pods = UsageFiles(folder_.path() / "usage").load();
  ASSERT_EQ(pods.size(), 1U);
  EXPECT_EQ(pods[0].uid, "a");
  EXPECT_EQ(pods[0].end, 21'000);
}

TEST_F(UsageFilesTest, WhatIsDamagedDoesNotHideTheRest) {
  write(pod("a", 1000, 0));
  write(pod("b", 1000, 9000));
  std::ofstream(folder_.path() / "usage" / "a.series", std::ios::app) << "TYs1 torn";
  std::ofstream(folder_.path() / "usage" / "c.about") << "{\"uid\":";
  std::ofstream(folder_.path() / "usage" / "d.about") << about_text(pod("another", 1, 2));
  EXPECT_EQ(files_.load().size(), 2U);
  EXPECT_EQ(monitor::read_blocks(files_.read("a")).blocks.size(), 1U);
  EXPECT_FALSE(files_.find("d"));
}

TEST_F(UsageFilesTest, TidyingTakesTheOldestAndWhatIsNobodys) {
  const std::int64_t now =
      std::int64_t(4'000'000) * 1000 * 1000;  // long after the files' own times
  const RecordedPod old = pod("old", now - 50 * kHour, now - 49 * kHour);
  const RecordedPod fresh = pod("new", now - 2 * kHour, now - kHour);
  for (const RecordedPod& one : {old, fresh, pod("live", 1, 0), pod("nobody", 1, 2)}) write(one);
  UsageRetention retention;
  retention.age = std::chrono::hours(48);
  const auto tidied = files_.tidy({old, fresh}, {"live"}, retention, now);
  EXPECT_EQ(tidied.removed, std::vector<std::string>{"old"});
  EXPECT_FALSE(files_.find("nobody"));
  EXPECT_TRUE(files_.find("new"));
  EXPECT_TRUE(files_.find("live"));
  retention.bytes = 1;
  EXPECT_EQ(files_.tidy({fresh}, {"live"}, retention, now).removed,
            std::vector<std::string>{"new"});
}

TEST_F(UsageFilesTest, WhatHasComeOfAgeIsToBeCompacted) {
  const std::int64_t written =
      std::chrono::duration_cast<std::chrono::milliseconds>(SystemClock().wall().time_since_epoch())
          .count();
  const RecordedPod large = pod("large", written - 3000 * 2000, written);
  const RecordedPod small = pod("small", written - 20'000, written);
  write(large, 3000);
  write(small);
  const auto due = [&](std::int64_t later) {
    return files_.tidy({large, small}, {}, {}, written + later).to_compact;
  };
  EXPECT_TRUE(due(kHour / 2).empty());
  EXPECT_EQ(due(2 * kHour), std::vector<std::string>{"large"});
  const std::size_t before = files_.read("large").size();
  files_.compact("large", written + 2 * kHour);
  EXPECT_LT(files_.read("large").size(), before);
}

}  // namespace
}  // namespace trainyard::node
