#include "cli/terminal/text_table.h"

#include <gtest/gtest.h>

namespace trainyard::cli {
namespace {

TEST(FormatTable, AlignsColumnsByCharactersNotBytes) {
  EXPECT_EQ(format_table({"NAME", "PHASE"}, {{"中文", "Running"}, {"longer", "Failed"}}),
            "NAME     PHASE\n"
            "中文       Running\n"
            "longer   Failed\n");
}

TEST(FormatTable, ColoursTakeNoRoom) {
  EXPECT_EQ(format_table({"PHASE", "AGE"}, {{"\x1b[31mFailed\x1b[0m", "2s"}, {"Running", "3s"}}),
            "PHASE     AGE\n"
            "\x1b[31mFailed\x1b[0m    2s\n"
            "Running   3s\n");
}

}  // namespace
}  // namespace trainyard::cli
