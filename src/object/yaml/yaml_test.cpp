#include "object/yaml/yaml.h"

#include <gtest/gtest.h>

#include <random>

namespace trainyard {
namespace {

/// The one document of a text, as JSON text; the error's message when it cannot be read.
std::string as_json(std::string_view text) {
  const auto parsed = parse_yaml(text);
  if (!parsed) return parsed.error().message();
  return parsed->size() == 1 ? to_text((*parsed)[0])
                             : std::to_string(parsed->size()) + " documents";
}

TEST(ParseYaml, TypesPlainScalarsAsGoYamlDoes) {
  const std::pair<const char*, const char*> cases[] = {
      {"true", "true"},
      {"yes", "true"},
      {"On", "true"},
      {"y", "true"},
      {"FALSE", "false"},
      {"no", "false"},
      {"off", "false"},
      {"N", "false"},
      {"tRUE", "\"tRUE\""},
      {"yess", "\"yess\""},
      {"null", "null"},
      {"~", "null"},
      {"Null", "null"},
      {"nULL", "\"nULL\""},
      {"", "null"},
      {"0", "0"},
      {"-17", "-17"},
      {"+17", "17"},
      {"010", "8"},
      {"0o10", "8"},
      {"-010", "-8"},
      {"0x1F", "31"},
      {"0b101", "5"},
      {"1_000", "1000"},
      {"08", "8"},
      {"0x", "\"0x\""},
      {"0b2", "\"0b2\""},
      {"_1", "\"_1\""},
      {"1e3", "1000"},
      {"1.50", "1.5"},
      {".5", "0.5"},
      {"5.", "5"},
      {"-1.5e-3", "-0.0015"},
      {"1e400", "\"1e400\""},
      {"1.2.3", "\"1.2.3\""},
      {"-x", "\"-x\""},
      {".", "\".\""},
      {"1e", "\"1e\""},
      {"+", "\"+\""},
      {"1:30", "\"1:30\""},
      {"0x-1", "\"0x-1\""},
      {"1,000", "\"1,000\""},
      {"2026-11-16", "\"2026-11-16\""},
      {"18446744073709551615", "18446744073709551615"},
      {"-9223372036854775808", "-9223372036854775808"},
      {"18446744073709551616", "18446744073709552000"},
      {"2026-11-16T00:00:00Z", "\"2026-11-16T00:00:00Z\""},
      {"100m", "\"100m\""},
      {"2Gi", "\"2Gi\""},
      {"1e3Ki", "\"1e3Ki\""},
  };
  for (const auto& [plain, json] : cases) {
    EXPECT_EQ(as_json("a: " + std::string(plain)), "{\"a\":" + std::string(json) + "}") << plain;
  }
}

TEST(ParseYaml, ReadsPlainYesAsBooleanButQuotedYesAsText) {
  EXPECT_EQ(as_json("[yes, 'yes', \"yes\", !!str yes]"), "[true,\"yes\",\"yes\",\"yes\"]");
  EXPECT_EQ(as_json("['1', \"null\", '', '~', 1]"), "[\"1\",\"null\",\"\",\"~\",1]");
  EXPECT_EQ(as_json("a: |\n  1\nb: >-\n  yes\n"), "{\"a\":\"1\\n\",\"b\":\"yes\"}");
}

TEST(ParseYaml, RefusesInfinityAndNotANumberWhichJsonCannotSay) {
  for (const char* text : {"a: .inf", "a: -.INF", "a: +.Inf", "a: .nan", "a: .NaN"}) {
    EXPECT_FALSE(parse_yaml(text)) << text;
  }
}

TEST(ParseYaml, WritesKeysOfOtherTypesAsTextLikeKubectl) {
  EXPECT_EQ(as_json("{1: a, 0x10: b, yes: c, '0x10': d, 1.5: e}"),
            "{\"1\":\"a\",\"16\":\"b\",\"true\":\"c\",\"0x10\":\"d\",\"1.5\":\"e\"}");
  EXPECT_FALSE(parse_yaml("? [a]\n: b"));
  EXPECT_FALSE(parse_yaml("? {a: b}\n: c"));
  EXPECT_FALSE(parse_yaml("~: b"));
}

TEST(ParseYaml, GivesOneTreeADocumentAndLeavesEmptyOnesOut) {
  const auto parsed = parse_yaml("---\na: 1\n---\n---\n# nothing\n---\nb: 2\n...\n");
  ASSERT_TRUE(parsed);
  ASSERT_EQ(parsed->size(), 2U);
  EXPECT_EQ(to_text((*parsed)[1]), "{\"b\":2}");
  EXPECT_TRUE(parse_yaml("")->empty());
  EXPECT_TRUE(parse_yaml("# only a comment\n")->empty());
}

TEST(ParseYaml, CutsDocumentsAtLinesThatBeginWithDashesAsKubectlDoes) {
  const std::pair<const char*, const char*> cases[] = {
      {"a: 1\n---\nb: 2", "[{\"a\":1},{\"b\":2}]"},
      {"---\n---\na: 1\n---", "[{\"a\":1}]"},
      {"--- # first\na: 1\n---   \r\nb: 2\r\n---\t# end\r\n", "[{\"a\":1},{\"b\":2}]"},
      {"a: |\n  ---\n  x\n", "[{\"a\":\"---\\nx\\n\"}]"},
      {"a: x ---\nb: '---'\n", "[{\"a\":\"x ---\",\"b\":\"---\"}]"},
      {"# license\n---\n# nothing\n\n---\n{\"a\": 1}\n", "[{\"a\":1}]"},
      {"- a\n---\n- b\n", "[[\"a\"],[\"b\"]]"},
      {"a: &x 1\n---\nb: &x 2\nc: *x\n", "[{\"a\":1},{\"b\":2,\"c\":2}]"},
  };
  for (const auto& [text, documents] : cases) {
    const auto parsed = parse_yaml(text);
    ASSERT_TRUE(parsed) << text << ": " << parsed.error().message();
    EXPECT_EQ(to_text(JsonArray(parsed->begin(), parsed->end())), documents) << text;
  }
  EXPECT_FALSE(parse_yaml("a: \"x\n---\ny\"\n")) << "cut inside quotes";
  EXPECT_FALSE(parse_yaml("a: &x 1\n---\nb: *x\n")) << "anchors end with their document";
}

TEST(ParseYaml, RefusesTextThatFollowsADocumentWithoutASeparator) {
  for (const char* text : {"  a: 1\nb: 2\n", "{}\n- e\n", "a: 1\n...\nb: 2\n", "- 1\n...\nx"}) {
    EXPECT_TRUE(parse_yaml(text).failed_with(Code::kBadRequest)) << text;
  }
  EXPECT_EQ(as_json("a: 1\n...\n"), "{\"a\":1}");
  EXPECT_EQ(as_json("a: 1\n...\n# end\n"), "{\"a\":1}");
}

TEST(ParseYaml, RefusesSeparatorsThatHoldMoreThanAComment) {
  for (const char* text : {"--- a: 1", "a: 1\n---x\nb: 2", "----\na: 1", "--- |\n  a"}) {
    const auto parsed = parse_yaml(text);
    ASSERT_TRUE(parsed.failed_with(Code::kBadRequest)) << text;
    EXPECT_NE(parsed.error().message().find("invalid Yaml document separator"), std::string::npos);
  }
  EXPECT_NE(as_json("a: 1\n---x").find("line 2"), std::string::npos);
}

TEST(ParseYaml, ReadsJsonBomAndWindowsLineEnds) {
  EXPECT_EQ(as_json("{\"a\": [1, \"x\\u0041\", null]}"), "{\"a\":[1,\"xA\",null]}");
  EXPECT_EQ(as_json("\xef\xbb\xbf"
                    "a: 1\r\nb:\r\n- c\r\n"),
            "{\"a\":1,\"b\":[\"c\"]}");
}

TEST(ParseYaml, ExpandsAliasesAndMergesWithTheMappingsOwnKeysWinning) {
  EXPECT_EQ(as_json("a: &x [1]\nb: *x"), "{\"a\":[1],\"b\":[1]}");
  EXPECT_EQ(as_json("a: &x {p: 1, q: 2}\nb: {<<: *x, q: 3}"),
            "{\"a\":{\"p\":1,\"q\":2},\"b\":{\"q\":3,\"p\":1}}");
  EXPECT_EQ(as_json("- &x {p: 1}\n- &y {p: 2, q: 2}\n- {<<: [*x, *y]}"),
            "[{\"p\":1},{\"p\":2,\"q\":2},{\"p\":1,\"q\":2}]");
  EXPECT_EQ(as_json("{'<<': 1}"), "{\"<<\":1}");
  EXPECT_FALSE(parse_yaml("{<<: 1}"));
  EXPECT_FALSE(parse_yaml("a: *nowhere"));
}

TEST(ParseYaml, NamesLineAndColumnOfErrors) {
  EXPECT_NE(as_json("a: 1\nb: [1, 2\nc: 3").find("line 3"), std::string::npos);
  const std::string twice = as_json("spec:\n  a: 1\n  b: 2\n  a: 3\n");
  EXPECT_NE(twice.find("line 4, column 3"), std::string::npos) << twice;
  EXPECT_NE(twice.find("\"a\""), std::string::npos) << twice;
  EXPECT_NE(as_json("x: 1\ny: !Ref z").find("line 2"), std::string::npos);
  const std::string later = as_json("a: 1\n---\n# b\n---\nc: 1\nd: 2\nc: 3\n");
  EXPECT_NE(later.find("line 7, column 1"), std::string::npos) << later;
  EXPECT_NE(as_json("a: 1\n---\nb: [1\nc: 2").find("line 4"), std::string::npos);
}

TEST(ParseYaml, TellsOfKeysThatOccurTwiceWhereItMayAndTakesTheLast) {
  std::vector<std::string> told;
  const auto read = parse_json_or_yaml("spec:\n  a: 1\n  b: 2\n  a: 3\n", told);
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(to_text(*read), R"({"spec":{"a":3,"b":2}})");
  EXPECT_EQ(told, std::vector<std::string>{"line 4: key \"a\" already set in map"});
}

TEST(ParseYaml, RefusesMillionsOfOpenBracketsBeforeItReadsThem) {
  const std::string brackets(3'000'000, '[');
  EXPECT_FALSE(parse_yaml(brackets));
  EXPECT_FALSE(parse_yaml("- a: {b: " + brackets));
  EXPECT_TRUE(parse_yaml("script: |\n  " + brackets)) << "text is no structure";
}

TEST(ParseYaml, RefusesBrokenText) {
  for (const char* text :
       {"a: b: c", "[1", "{a: 1", "'open", "\"open", "a: 'open\n", "a: \"open\n\nb\n", "a: \"\\q\"",
        "a: 1\n- b", "a:\n\t- b", "*", "&", "%YAML 9.9\n---\na", "@a", "`a", "a: !x b"}) {
    EXPECT_TRUE(parse_yaml(text).failed_with(Code::kBadRequest)) << text;
  }
}

TEST(ParseYaml, RefusesInvalidUtf8AndControlCharacters) {
  for (const std::string& bytes :
       {std::string("\xff"), std::string("\xc3"), std::string("\xc0\x80"),
        std::string("\xed\xa0\x80"), std::string("\xf4\x90\x80\x80"), std::string("\0", 1),
        std::string("\x04"), std::string("\x1b")}) {
    EXPECT_TRUE(parse_yaml("a: x" + bytes + "y\nb: 1\n").failed_with(Code::kBadRequest));
    EXPECT_TRUE(parse_yaml("a: \"" + bytes + "\"").failed_with(Code::kBadRequest));
    EXPECT_TRUE(parse_yaml("k" + bytes + ": 1").failed_with(Code::kBadRequest));
  }
  EXPECT_EQ(as_json("a: \"\\0\\x04\""), "{\"a\":\"\\u0000\\u0004\"}");
  EXPECT_EQ(as_json("a: é😀"), "{\"a\":\"é😀\"}");
}

TEST(ParseYaml, RefusesDeepNestingOfEveryStyle) {
  const auto repeat = [](std::size_t count, const std::string& text) {
    std::string out;
    for (std::size_t i = 0; i < count; ++i) out += text;
    return out;
  };
  for (const char* step : {"[", "{a: ", "- ", "? ", "{", "[{", "&a [", "!!seq ["}) {
    EXPECT_FALSE(parse_yaml(repeat(10'000, step))) << step;
  }
  EXPECT_FALSE(parse_yaml(repeat(10'000, "[") + repeat(10'000, "]")));
  EXPECT_FALSE(parse_yaml(repeat(kMaxDepth + 5, "[") + repeat(kMaxDepth + 5, "]")));
  EXPECT_TRUE(parse_yaml(repeat(kMaxDepth - 5, "[") + repeat(kMaxDepth - 5, "]")));
  std::string block;
  for (std::size_t i = 0; i < 2'000; ++i) block += std::string(i, ' ') + "a:\n";
  EXPECT_FALSE(parse_yaml(block));
}

TEST(ParseYaml, RefusesAliasBombs) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 10; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before;
    for (int j = 0; j < 9; ++j) bomb += ", " + before;
    bomb += "]\n";
  }
  EXPECT_FALSE(parse_yaml(bomb));
}

TEST(ParseYaml, RefusesAliasesOfLongTextThatAddUpToGigabytes) {
  const std::string text = "- &a \"" + std::string(1'000'000, 'x') + "\"\n";
  const std::string key = "- &a {" + std::string(1'000, 'k') + ": 1}\n";
  std::string aliases;
  for (int i = 0; i < 100'000; ++i) aliases += "- *a\n";
  EXPECT_FALSE(parse_yaml(text + aliases));
  EXPECT_FALSE(parse_yaml(key + aliases));
}

TEST(ParseYaml, RefusesAnchorsThatContainThemselves) {
  EXPECT_FALSE(parse_yaml("a: &a [*a, *a]"));
  EXPECT_FALSE(parse_yaml("&a {b: *a}"));
  EXPECT_FALSE(parse_yaml("&a {<<: *a, b: 1}"));
}

TEST(ParseJsonOrYaml, ReadsBothAndExpectsExactlyOneObject) {
  EXPECT_EQ(to_text(*parse_json_or_yaml(" \n{\"a\": 1e2}")), "{\"a\":100}");
  EXPECT_EQ(to_text(*parse_json_or_yaml("a: yes")), "{\"a\":true}");
  for (const char* text : {"", "---\n", "{\"a\":1} x", "{a", "a: 1\n---\nb: 2"}) {
    EXPECT_TRUE(parse_json_or_yaml(text).failed_with(Code::kBadRequest)) << text;
  }
}

TEST(ToYaml, WritesBlockStyle) {
  const Json value = *parse_json(
      "{\"kind\":\"Pod\",\"spec\":{\"list\":[{\"a\":1,\"b\":[]},[1,[2]],\"x\"],\"e\":{}},\"t\":"
      "null}");
  EXPECT_EQ(to_yaml(value),
            "kind: Pod\nspec:\n  list:\n  - a: 1\n    b: []\n  - - 1\n    - - 2\n  - x\n  e: {}\n"
            "t: null\n");
}

TEST(ToYaml, QuotesOnlyWhatWouldBeReadAsSomethingElse) {
  EXPECT_EQ(to_yaml(Json{{"a", "plain text, (really)"}}), "a: plain text, (really)\n");
  EXPECT_EQ(to_yaml(Json{{"a", "http://x:80/#y"}}), "a: http://x:80/#y\n");
  for (const char* text : {"yes", "1", "null", "", "~", "0x10", "1e3", ".inf", ".NaN", "<<"}) {
    EXPECT_EQ(to_yaml(Json{{"a", text}}), "a: \"" + std::string(text) + "\"\n");
  }
}

TEST(ToYaml, IsReadBackEqualForTrickyStrings) {
  for (const char* text : {"a\xc2\x85z",
                           "\x7f",
                           "\xef\xbf\xbe",
                           "a\xef\xbb\xbf",
                           "yes",
                           "1",
                           "a: b",
                           "# x",
                           "a # b",
                           "a#b",
                           "",
                           " lead",
                           "trail ",
                           "two\nlines",
                           "two\n\n",
                           "\nstart",
                           "é😀",
                           "null",
                           "0x10",
                           "-",
                           "- a",
                           "--- a",
                           "---",
                           "...",
                           "1e3",
                           ":",
                           "a:",
                           ":a",
                           "a\tb",
                           "\t",
                           "'",
                           "\"",
                           "a\"b'c",
                           "{",
                           "}",
                           "[a]",
                           "a, b",
                           "&a",
                           "*a",
                           "!a",
                           "|",
                           ">",
                           "%a",
                           "@a",
                           "`a",
                           "?",
                           "? a",
                           "=",
                           "<<",
                           "~",
                           "\\",
                           "\\n",
                           "\r",
                           "\x01",
                           "\x7f",
                           "1_0",
                           "y",
                           ".5",
                           ".inf",
                           "2026-11-16",
                           "\xc2\x85",
                           "\xe2\x80\xa8",
                           "true ",
                           "key: [",
                           "a\n# b",
                           "\xef\xbb\xbfx"}) {
    for (const Json& value :
         {Json(text), Json{{"k", text}}, Json(JsonArray{text, JsonArray{text}}),
          Json(JsonObject{{text, JsonArray{1}}, {"z", JsonObject{{text, 1}}}})}) {
      const std::string written = to_yaml(value);
      EXPECT_EQ(as_json(written), to_text(value)) << written;
    }
  }
}

TEST(ToYaml, IsReadBackEqualForRandomStrings) {
  std::mt19937 random(3);
  static constexpr std::string_view kAlphabet = "ab1.-:# \n\t'\"[]{},&*!|>%@`?~\\=<_0xe+";
  for (int i = 0; i < 3'000; ++i) {
    std::string text;
    for (std::size_t length = random() % 8; length > 0; --length) {
      text += kAlphabet[random() % kAlphabet.size()];
    }
    const Json value{{"list", JsonArray{Json(text), Json{{"key" + text, text}}}}};
    ASSERT_EQ(as_json(to_yaml(value)), to_text(value)) << to_yaml(value);
  }
}

TEST(Yaml, RefusesWhatTheParserCannotGetPast) {
  for (const char* text : {"\"a\",\"b\"", "a: 1\n...\n, b", "\"a\"]", "{} ,"}) {
    const auto refused = parse_yaml(text);
    ASSERT_FALSE(refused) << text;
    EXPECT_TRUE(refused.error().message().starts_with("YAML line ")) << refused.error().message();
  }
}

TEST(Yaml, RefusesDocumentsWithoutEnd) {
  std::string text;
  for (int i = 0; i < 500'000; ++i) text += "---\n";
  const auto refused = parse_yaml(text);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message(),
            "YAML line 20001, column 1: more than 20000 documents in one text");
}

}  // namespace
}  // namespace trainyard
