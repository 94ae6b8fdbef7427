#include "base/clock.h"

#include <gtest/gtest.h>

namespace trainyard {
namespace {

using std::chrono::seconds;

TEST(FormatTime, WritesWholeSecondsInUtc) {
  EXPECT_EQ(format_time(WallTime(seconds(1794787323))), "2026-11-16T00:02:03Z");
  EXPECT_EQ(format_time_micro(WallTime(std::chrono::microseconds(1500))),
            "1970-01-01T00:00:00.001500Z");
}

TEST(ParseTime, ReadsWhatIsWrittenAndOffsets) {
  const WallTime time(seconds(1794787323));
  EXPECT_EQ(*parse_time(format_time(time)), time);
  EXPECT_EQ(*parse_time("2026-11-16T08:02:03+08:00"), time);
  EXPECT_EQ(*parse_time("2026-11-16T00:02:03.5Z"), time + std::chrono::milliseconds(500));
  EXPECT_EQ(*parse_time("2026-11-16T00:02:03.123456789Z"),
            time + std::chrono::nanoseconds(123456789));
}

TEST(ParseTime, KeepsYearsThatNoClockReachesWithinWhatItCanHold) {
  EXPECT_EQ(format_time(*parse_time("0001-01-01T00:00:00Z")), "1678-01-01T00:00:00Z");
  EXPECT_EQ(format_time(*parse_time("9999-12-31T23:59:59.999999999Z")), "2261-12-31T23:59:59Z");
}

TEST(ParseTime, RefusesWhatIsNotATime) {
  for (const char* text : {"", "now", "2026-11-16", "2026-13-16T00:00:00Z", "2026-11-16T00:00:00",
                           "2026-11-16T00:00:00Zjunk", "2026-11-16T24:00:00Z", "20-1-1T1:1:1Z",
                           "-026-11-16T00:00:00Z"}) {
    EXPECT_FALSE(parse_time(text)) << text;
  }
}

TEST(FormatAge, FollowsKubectl) {
  EXPECT_EQ(format_age(seconds(5)), "5s");
  EXPECT_EQ(format_age(seconds(119)), "119s");
  EXPECT_EQ(format_age(seconds(125)), "2m5s");
  EXPECT_EQ(format_age(seconds(600)), "10m");
  EXPECT_EQ(format_age(seconds(3 * 3600 + 240)), "3h4m");
  EXPECT_EQ(format_age(seconds(50 * 3600)), "2d2h");
  EXPECT_EQ(format_age(seconds(-3)), "0s");
}

}  // namespace
}  // namespace trainyard
