#include "monitor/process_metrics.h"

#include <gtest/gtest.h>

namespace trainyard::monitor {
namespace {

constexpr const char* kStat =
    "77 (train yard) S) S 1 77 77 0 -1 4194560 900 0 1 0 250 150 9 9 20 0 7 0 3000 8192000 512 1 2";
constexpr const char* kSystem = "cpu  1 2 3\nintr 5\nctxt 6\nbtime 1700000000\nprocesses 9\n";

TEST(ProcessMetrics, AreReadFromStat) {
  const auto figures = parse_process(kStat, kSystem, 100, 4096);
  ASSERT_TRUE(figures);
  EXPECT_DOUBLE_EQ(figures->cpu_seconds, 4);
  EXPECT_DOUBLE_EQ(figures->start_time, 1'700'000'030);
  EXPECT_DOUBLE_EQ(figures->resident_bytes, 512 * 4096);
  EXPECT_DOUBLE_EQ(figures->virtual_bytes, 8192000);
  EXPECT_DOUBLE_EQ(figures->threads, 7);
}

TEST(ProcessMetrics, WhatIsCutOffIsNothing) {
  const std::string_view stat = kStat;
  for (std::size_t length = 0; length < stat.find("512"); ++length) {
    EXPECT_FALSE(parse_process(stat.substr(0, length), kSystem, 100, 4096)) << length;
  }
  EXPECT_FALSE(parse_process(kStat, "cpu 1 2\n", 100, 4096));
}

TEST(ProcessMetrics, OfThisProcessMakeSense) {
  const ProcessFigures figures = read_process("/proc");
  EXPECT_GT(figures.resident_bytes, 1e6);
  EXPECT_GT(figures.start_time, 1.6e9);
  EXPECT_GE(figures.open_files, 3);
  EXPECT_GT(figures.most_files, figures.open_files);
  MetricsText metrics;
  write_process(metrics, figures);
  EXPECT_NE(metrics.text().find("\nprocess_open_fds "), std::string::npos);
}

}  // namespace
}  // namespace trainyard::monitor
