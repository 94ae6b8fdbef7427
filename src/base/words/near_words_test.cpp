#include "base/words/near_words.h"

#include <gtest/gtest.h>

namespace trainyard {
namespace {

TEST(NearestWord, FindsWhatWasProbablyMeant) {
  const std::vector<std::string> known{"list", "logs", "submit", "describe", "delete", "up"};
  EXPECT_EQ(nearest_word("lst", known), "list");
  EXPECT_EQ(nearest_word("sumbit", known), "submit");
  EXPECT_EQ(nearest_word("decsribe", known), "describe");
  EXPECT_EQ(nearest_word("deleet", known), "delete");
}

TEST(NearestWord, SaysNothingWhereNothingIsNear) {
  const std::vector<std::string> known{"list", "submit"};
  EXPECT_EQ(nearest_word("frobnicate", known), "");
  EXPECT_EQ(nearest_word("x", known), "");
  EXPECT_EQ(nearest_word("", known), "");
  EXPECT_EQ(nearest_word(std::string(100'000, 'a'), {std::string(100'000, 'a')}), "");
}

}  // namespace
}  // namespace trainyard
