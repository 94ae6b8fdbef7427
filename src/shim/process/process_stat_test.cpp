#include "shim/process/process_stat.h"

#include <gtest/gtest.h>

namespace trainyard::shim {
namespace {

constexpr std::string_view kStat =
    "77 (a) b (c) S 12 77 77 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 987654 2 3 4";

TEST(ProcessStat, CountsFieldsBehindANameWithBrackets) {
  EXPECT_EQ(stat_field(kStat, kStatParent), 12u);
  EXPECT_EQ(stat_field(kStat, kStatStartTime), 987654u);
}

TEST(ProcessStat, SaysNothingAboutMissingFields) {
  EXPECT_EQ(stat_field("77 (a) S 12", kStatStartTime), std::nullopt);
  EXPECT_EQ(stat_field("", kStatParent), std::nullopt);
  EXPECT_EQ(stat_field("77 (a) S x", kStatParent), std::nullopt);
}

}  // namespace
}  // namespace trainyard::shim
