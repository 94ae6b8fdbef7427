#include "object/values/pattern.h"

#include <gtest/gtest.h>

namespace trainyard {
namespace {

bool occurs(const char* pattern, std::string_view text) {
  const auto compiled = Pattern::compile(pattern);
  EXPECT_TRUE(compiled) << pattern;
  return compiled && compiled->occurs_in(text);
}

TEST(Pattern, MatchesAnywhereInTheTextAsGoDoes) {
  EXPECT_TRUE(occurs("b", "abc"));
  EXPECT_FALSE(occurs("^b", "abc"));
  EXPECT_TRUE(occurs("^a.c$", "abc"));
  EXPECT_TRUE(occurs("", ""));
  EXPECT_TRUE(occurs("^(\\d+)(\\.\\d+)?$", "12.5"));
  EXPECT_TRUE(occurs("^\\pL+$", "é"));
  EXPECT_TRUE(occurs("(?i)^ABC$", "abc"));
  EXPECT_TRUE(occurs("^(?P<n>a)$", "a"));
  EXPECT_TRUE(occurs("^.$", "😀")) << "a character, not a byte";
}

TEST(Pattern, TakesADollarForTheEndOfTheTextOnly) {
  EXPECT_FALSE(occurs("^a$", "a\n"));
  EXPECT_FALSE(occurs("^a$", "b\na\nc"));
  EXPECT_TRUE(occurs("(?m)^a$", "b\na\nc"));
  EXPECT_FALSE(occurs("^.*$", "a\nb"));
}

TEST(Pattern, RefusesWhatGoRefusesAndSaysWhy) {
  for (const char* text : {"(", "[", "a**", "(?=a)", "(?<!a)b", "\\1", "(a)\\1", "x{2,1}",
                           "x{1001}", "\\8", "[z-a]", "*", "(?P<n>a"}) {
    const auto compiled = Pattern::compile(text);
    ASSERT_TRUE(compiled.failed_with(Code::kInvalid)) << text;
    EXPECT_TRUE(compiled.error().message().starts_with("error parsing regexp: ")) << text;
  }
}

TEST(Pattern, TakesLinearTimeWhereBacktrackingWouldTakeForever) {
  EXPECT_FALSE(occurs("^(a+)+$", std::string(100'000, 'a') + "b"));
  EXPECT_TRUE(occurs("^([a-z]|[0-9])*$", std::string(10'000'000, 'a')));
}

TEST(Pattern, CompilesLargeCountedRepetitions) {
  EXPECT_TRUE(occurs("^([\\p{L}\\p{S}]{0,62}\\.){1,2}[a-z]{2,63}$", "é.example.org"));
}

}  // namespace
}  // namespace trainyard
