#include "node/progress_reader.h"

#include "base/files.h"
#include "base/test_folder.h"

#include <gtest/gtest.h>

namespace trainyard::node {
namespace {

using namespace std::chrono_literals;

WallTime at(const char* text) {
  return *parse_time(text);
}

TEST(LogProgress, IsReadFromTheEndOfTheLog) {
  const TestFolder folder;
  EXPECT_FALSE(read_log_progress(folder.path(), WallTime()));
  std::string text(100'000, 'x');  // not a record, and long ago
  text +=
      "\n2026-11-16T01:00:00.000000Z stdout F step 10/100 loss 0.9\n"
      "2026-11-16T01:00:05.000000Z stderr F a warning\n"
      "2026-11-16T01:00:10.000000Z stdout F step 30/100 loss 0.5\n"
      "2026-11-16T01:00:11.000000Z stdout F ste";
  ASSERT_TRUE(write_file_unsynced(folder.path() / "log", text, 0644));
  const auto progress = read_log_progress(folder.path(), at("2026-11-16T01:00:10Z"));
  ASSERT_TRUE(progress);
  EXPECT_EQ(progress->left, 35s);
  const Json json = progress_json(*progress);
  EXPECT_EQ(int_at(json, "step.at"), 30);
  EXPECT_EQ(int_at(json, "secondsLeft"), 35);
  EXPECT_EQ(string_at(json, "words"), "step 30/100 (30 %), 2 steps/s, 35s left, loss 0.5");
}

TEST(LogProgress, FollowsABarThatIsDrawnOverItself) {
  const TestFolder folder;
  ASSERT_TRUE(write_file_unsynced(folder.path() / "log",
                                  "2026-11-16T01:00:00.000000Z stderr P \r 10%|# | 10/100 "
                                  "[00:01<00:09, 9.9it/s]\n"
                                  "2026-11-16T01:00:10.000000Z stderr P \r 20%|## | 20/1\n"
                                  "2026-11-16T01:00:10.000001Z stderr P 00 [00:11<00:40, 1it/s]\n",
                                  0644));
  const auto progress = read_log_progress(folder.path(), at("2026-11-16T01:00:10Z"));
  ASSERT_TRUE(progress);
  EXPECT_EQ(progress->step, (monitor::Counter{20, 100}));
  EXPECT_NEAR(*progress->rate, 1, 0.01);
}

}  // namespace
}  // namespace trainyard::node
