#include "shim/process/exit_report.h"

#include <gtest/gtest.h>

#include <signal.h>

namespace trainyard::shim {
namespace {

constexpr timespec kTime{1794790923, 123456789};

// The kernel's encoding: the exit code in the second byte, a signal in the first.
TEST(ExitReport, CarriesTheExitCode) {
  EXPECT_EQ(format_report(report_of_status(3 << 8, kTime)),
            "code=3\nsignal=0\nfinished=2026-11-16T01:02:03.123456789Z\nmessage=\n");
}

TEST(ExitReport, AddsTheSignalTo128) {
  EXPECT_EQ(format_report(report_of_status(SIGKILL, kTime)),
            "code=137\nsignal=9\nfinished=2026-11-16T01:02:03.123456789Z\nmessage=\n");
}

TEST(ExitReport, NamesStartErrors) {
  EXPECT_EQ(format_report(report_of_failure({"no such\nprogram", kNotFound}, kTime)),
            "code=127\nsignal=0\nfinished=2026-11-16T01:02:03.123456789Z\n"
            "message=no such program\nreason=StartError\n");
}

TEST(ExitReport, StaysWithinTheReservedSpace) {
  ExitReport report = report_of_failure({std::string(100'000, 'x')}, kTime);
  EXPECT_LE(format_report(report).size(), kExitReportLimit);
}

TEST(ExitReport, BlamesTheMemoryLimit) {
  ExitReport report;
  report.code = 137;
  blame_memory(report, "64Mi");
  const std::string text = format_report(report);
  EXPECT_NE(text.find("reason=OOMKilled\n"), std::string::npos) << text;
  EXPECT_NE(text.find("memory limit of 64Mi"), std::string::npos) << text;
}

TEST(ExitReport, DoesNotBlameMemoryForAGoodEnd) {
  ExitReport report;
  blame_memory(report, "64Mi");
  EXPECT_EQ(format_report(report).find("OOMKilled"), std::string::npos);
}

}  // namespace
}  // namespace trainyard::shim
