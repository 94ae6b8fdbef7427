#include "base/words/text.h"

#include <gtest/gtest.h>

namespace trainyard {
namespace {

using Parts = std::vector<std::string_view>;

TEST(Text, IsLoweredWhereItIsAscii) {
  EXPECT_EQ(lower("PyTorchJob-1"), "pytorchjob-1");
  EXPECT_EQ(lower("Ä\xff[@"), "Ä\xff[@");
  EXPECT_TRUE(equal_ignoring_case("WebSocket", "websocket"));
  EXPECT_FALSE(equal_ignoring_case("a", "ab"));
}

TEST(Text, IsSplitAtEveryMark) {
  EXPECT_EQ(split("a,,b", ','), (Parts{"a", "", "b"}));
  EXPECT_EQ(split("", ','), Parts{""});
  EXPECT_EQ(split(",", ','), (Parts{"", ""}));
  EXPECT_EQ(words_between("/a//b/", '/'), (Parts{"a", "b"}));
  EXPECT_TRUE(words_between("//", '/').empty());
}

}  // namespace
}  // namespace trainyard
