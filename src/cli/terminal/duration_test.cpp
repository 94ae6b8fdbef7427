#include "cli/terminal/duration.h"

#include <gtest/gtest.h>

namespace trainyard::cli {
namespace {

TEST(Duration, IsReadAsPeopleWriteIt) {
  EXPECT_EQ(parse_duration("90", "--timeout")->count(), 90);
  EXPECT_EQ(parse_duration("0", "--timeout")->count(), 0);
  EXPECT_EQ(parse_duration("30s", "--timeout")->count(), 30);
  EXPECT_EQ(parse_duration("1h30m", "--timeout")->count(), 5400);
  EXPECT_EQ(parse_duration("2d", "--timeout")->count(), 172800);
}

TEST(Duration, OfNonsenseIsAnErrorThatNamesTheFlag) {
  for (const char* wrong : {"", "h", "1x", "-5s", "1h30", "5 m", "99999999999999999999s"}) {
    const auto span = parse_duration(wrong, "--timeout");
    ASSERT_FALSE(span) << wrong;
    EXPECT_NE(span.error().message().find("--timeout"), std::string::npos);
  }
}

TEST(Duration, ThatIsVeryLongIsThirtyYears) {
  EXPECT_GT(parse_duration("999999999d", "--timeout")->count(), 900'000'000);
}

}  // namespace
}  // namespace trainyard::cli
