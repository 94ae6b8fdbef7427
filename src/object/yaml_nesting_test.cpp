#include "object/yaml_nesting.h"

#include <gtest/gtest.h>

#include <string>

namespace trainyard {
namespace {

std::size_t depth(std::string_view yaml) {
  return bracket_depth(yaml, 1000);
}

TEST(BracketDepth, CountsWhatIsOpenAtOnce) {
  EXPECT_EQ(depth("a: 1\nb: [1, 2]\nc: {d: [{e: f}]}\n"), 3U);
  EXPECT_EQ(depth("- [a]\n- {b: c}\n- d\n"), 1U);
  EXPECT_EQ(depth("[[\n  # [[[\n [a,\n b]], {c: [d]}]"), 3U);
  EXPECT_EQ(depth("&anchor [!!str a, *b, [c]]"), 2U);
  EXPECT_EQ(depth("? [a]\n: [[b]]\n"), 2U);
}

TEST(BracketDepth, BracketsOfTextMeanNothing) {
  EXPECT_EQ(depth("pattern: a[[[[b\nother: b{{{\n"), 0U);
  EXPECT_EQ(depth("quoted: \"[[[ \\\" [[\"\nsingle: 'it''s [[['\n"), 0U);
  EXPECT_EQ(depth("['[[', \"[[\", a'[b]]"), 2U) << "a quote within plain text is none";
  EXPECT_EQ(depth("a: b # [[[\n# {{{\n"), 0U);
}

TEST(BracketDepth, BlockScalarsEndWhereTheirEntryDoes) {
  EXPECT_EQ(depth("script: |\n  if [[ -f a ]]; then [[[[\n\n  {{{\nnext: [a]\n"), 1U);
  EXPECT_EQ(depth("- run: >-\n    [[[\n  args: [b]\n- |\n [[[[\n- [[c]]\n"), 2U);
  EXPECT_EQ(depth("- - |\n   [[[\n  - [[d]]\n"), 2U);
  EXPECT_EQ(depth("key: |\n  [[[["), 0U);
}

TEST(BracketDepth, StopsAtTheLimit) {
  EXPECT_EQ(bracket_depth(std::string(1'000'000, '['), 50), 50U);
  EXPECT_EQ(bracket_depth("a: " + std::string(1'000'000, '{'), 50), 50U);
  EXPECT_EQ(bracket_depth(std::string(20, '['), 50), 20U);
}

}  // namespace
}  // namespace trainyard
