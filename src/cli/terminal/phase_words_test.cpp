#include "cli/terminal/phase_words.h"

#include <gtest/gtest.h>

namespace trainyard::cli {
namespace {

using namespace std::chrono_literals;

TEST(EndLine, IsOneLineWithHowLongItTookAndWhatItHasToldLast) {
  EXPECT_EQ(end_line({"train-vdx6j", "Succeeded", 2s, "", {{"acc", 0.9134}, {"loss", 0.2}}}, false),
            "✓ train-vdx6j succeeded in 2 s · loss 0.20 · acc 0.91");
  EXPECT_EQ(end_line({"t", "Succeeded", 3723s, "", {{"loss", 0.00123}}}, false),
            "✓ t succeeded in 1 h 2 m · loss 0.00123");
  EXPECT_EQ(end_line({"t", "Succeeded", std::nullopt, "", {}}, false), "✓ t succeeded");
}

TEST(EndLine, SaysWhyAndNoLossWhereItFailed) {
  EXPECT_EQ(end_line({"t", "Failed", 65s, "worker-2 failed (exit 1)", {{"loss", 1}}}, false),
            "✗ t failed after 1 m 5 s: worker-2 failed (exit 1)");
}

TEST(ColouredPhase, HasAColourOnlyWhereItIsWanted) {
  EXPECT_EQ(coloured_phase("Running", false), "Running");
  EXPECT_EQ(coloured_phase("Succeeded", true), "\x1b[32mSucceeded\x1b[0m");
  EXPECT_EQ(end_line({"t", "Failed", std::nullopt, "", {}}, true), "\x1b[31m✗\x1b[0m t failed");
}

}  // namespace
}  // namespace trainyard::cli
