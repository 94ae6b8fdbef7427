#include "cli/arena/views/span_text.h"

#include <gtest/gtest.h>

#include <utility>

namespace trainyard::cli::arena {
namespace {

using namespace std::chrono_literals;

TEST(SpanText, HasOneUnitAndIsCutOff) {
  constexpr auto kDay = 24h;
  const std::vector<std::pair<std::chrono::nanoseconds, std::string>> cases{
      {0s, "0s"},           {59s, "59s"},       {60s, "1m"},        {46min + 59s, "46m"},
      {59min + 59s, "59m"}, {60min, "1h"},      {kDay - 1s, "23h"}, {kDay, "1d"},
      {364 * kDay, "364d"}, {365 * kDay, "1y"}, {800 * kDay, "2y"}, {1999ms, "1s"},
  };
  for (const auto& [span, text] : cases) EXPECT_EQ(span_text(span), text);
}

TEST(SpanText, ForgivesAClockThatIsASecondBehind) {
  EXPECT_EQ(span_text(-999ms), "0s");
  EXPECT_EQ(span_text(-1s), "0s");
  EXPECT_EQ(span_text(-2s), "<invalid>");
}

}  // namespace
}  // namespace trainyard::cli::arena
