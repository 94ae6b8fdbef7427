#include "cli/logs/log_merge.h"

#include <gtest/gtest.h>

namespace trainyard::cli {
namespace {

std::string told(const std::vector<LogMerger::Line>& lines) {
  std::string text;
  for (const LogMerger::Line& line : lines) text += fmt::format("{}:{}", line.source, line.text);
  return text;
}

TEST(LogMerger, PutsLinesInTheOrderOfTheirTimes) {
  LogMerger merger(2, false);
  merger.put(0, "2026-11-16T10:00:00.1Z a\n2026-11-16T10:00:00.30Z c\n");
  merger.put(1, "2026-11-16T10:00:00.200000000Z b\n");
  merger.end(0);
  merger.end(1);
  EXPECT_EQ(told(merger.take()), "0:a\n1:b\n0:c\n");
}

TEST(LogMerger, WaitsForASourceThatMayHaveAnEarlierLine) {
  LogMerger merger(2, false);
  merger.put(0, "2026-11-16T10:00:02Z later\n");
  EXPECT_EQ(merger.wanted(), std::vector<std::size_t>{1});
  EXPECT_TRUE(merger.take().empty());
  merger.put(1, "2026-11-16T10:00:01Z ear");
  EXPECT_TRUE(merger.take().empty()) << "half a line";
  merger.put(1, "lier\n");
  EXPECT_EQ(told(merger.take()), "1:earlier\n");
  merger.end(1);
  EXPECT_EQ(told(merger.take()), "0:later\n");
}

TEST(LogMerger, KeepsTheOrderOfEachLogThoughTheClockWentBack) {
  LogMerger merger(1, false);
  merger.put(0, "2026-11-16T10:00:05Z one\n2026-11-16T10:00:01Z two\nno time\n");
  merger.end(0);
  EXPECT_EQ(told(merger.take()), "0:one\n0:two\n0:no time\n");
}

TEST(LogMerger, KeepsTimesWhenAskedTo) {
  LogMerger merger(1, true);
  merger.put(0, "2026-11-16T10:00:05Z one\n");
  merger.put(0, "2026-11-16T10:00:06Z no end");
  merger.end(0);
  EXPECT_EQ(told(merger.take()), "0:2026-11-16T10:00:05Z one\n0:2026-11-16T10:00:06Z no end");
}

TEST(LogMerger, KeepsEmptyLines) {
  LogMerger merger(1, false);
  merger.put(0, "2026-11-16T10:00:05Z \n");
  merger.end(0);
  EXPECT_EQ(told(merger.take()), "0:\n");
}

}  // namespace
}  // namespace trainyard::cli
