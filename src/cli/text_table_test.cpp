#include "cli/text_table.h"

#include <gtest/gtest.h>

namespace trainyard::cli {
namespace {

TEST(FormatTable, AlignsColumnsByCharactersNotBytes) {
  EXPECT_EQ(format_table({"NAME", "PHASE"}, {{"中文", "Running"}, {"longer", "Failed"}}),
            "NAME     PHASE\n"
            "中文       Running\n"
            "longer   Failed\n");
}

}  // namespace
}  // namespace trainyard::cli
