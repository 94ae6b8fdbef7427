#include "object/json/json.h"

#include "object/json/pruned_json.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <random>

namespace trainyard {
namespace {

Json read(std::string_view text) {
  return *parse_json(text);
}

std::string nested(std::size_t depth, const std::string& open, const std::string& close) {
  std::string text;
  for (std::size_t i = 0; i < depth; ++i) text += open;
  for (std::size_t i = 0; i < depth; ++i) text += close;
  return text;
}

TEST(ParseJson, KeepsMembersInTheOrderWritten) {
  for (const char* text : {"{\"z\":1,\"a\":{\"y\":[],\"b\":{}},\"m\":[1,\"x\",null,true,false]}",
                           "[]", "{}", "\"\"", "null", "[[[{\"a\":[{}]}]]]"}) {
    EXPECT_EQ(to_text(read(text)), text);
  }
}

TEST(ParseJson, IgnoresWhiteSpaceAroundTheDocument) {
  EXPECT_EQ(to_text(read(" \r\n\t{ \"a\" : [ 1 , 2 ] } \n")), "{\"a\":[1,2]}");
}

TEST(ParseJson, RefusesWhatIsNotOneDocument) {
  for (const char* text :
       {"",         " ",       "{",         "[1,",        "{\"a\"}",   "{\"a\":}",
        "{a:1}",    "{'a':1}", "[1,]",      "{\"a\":1,}", "{} {}",     "1 2",
        "nul",      "tru",     "NaN",       "Infinity",   "-",         "01",
        "1.",       ".5",      "+1",        "0x10",       "1e",        "\"",
        "\"a\nb\"", "\"\\x\"", "\"\\u12\"", "// a\n1",    "/* a */ 1", "[1] x"}) {
    const auto parsed = parse_json(text);
    EXPECT_TRUE(parsed.failed_with(Code::kBadRequest)) << text;
  }
}

TEST(ParseJson, RefusesAKeyThatOccursTwiceAndNamesIt) {
  const auto parsed = parse_json("{\"spec\":{\"replicas\":1,\"x\":2,\"replicas\":3}}");
  ASSERT_TRUE(parsed.failed_with(Code::kBadRequest));
  EXPECT_NE(parsed.error().message().find("\"replicas\""), std::string::npos);
  EXPECT_FALSE(parse_json("{\"\":1,\"\":2}"));
  EXPECT_FALSE(parse_json("{\"a\":1,\"\\u0061\":2}"));
  EXPECT_TRUE(parse_json("[{\"a\":1},{\"a\":2}]"));
  EXPECT_TRUE(parse_json("{\"a\":{\"a\":{\"a\":1}}}"));
}

TEST(ParseJson, TellsOfKeysThatOccurTwiceWhereItMayAndTakesTheLast) {
  std::vector<std::string> told;
  const auto read = parse_json(
      R"({"a":1,"b":[{"c":1},{"c":"\"","d\u0065":2,"de":3,"de":4}],"a":{"x":[1,"a"]},"e":"a"})",
      told);
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(to_text(*find(*read, "a")), R"({"x":[1,"a"]})");
  EXPECT_EQ(int_at(read->at("b").at(1), "de"), 4);
  EXPECT_EQ(told,
            (std::vector<std::string>{"duplicate field \"b[1].de\"", "duplicate field \"a\""}));
  told.clear();
  EXPECT_TRUE(parse_json(R"({"a":{"b":1},"c":{"b":1}})", told));
  EXPECT_TRUE(told.empty());
  EXPECT_FALSE(parse_json(R"({"a":1,"a":2)", told));
}

TEST(ParseJson, TellsOfSomeOfManyKeysThatOccurTwice) {
  std::string text = "{";
  for (int i = 0; i < 20'000; ++i) text += fmt::format(R"("k{0}":0,"k{0}":1,)", i);
  text.back() = '}';
  std::vector<std::string> told;
  EXPECT_TRUE(parse_json(text, told));
  EXPECT_EQ(told.size(), 50U);
}

TEST(ParseJson, FindsTheKeyThatOccursTwiceAmongManyAndInSpiteOfEscapes) {
  for (const int count : {3, 24, 25, 1000}) {
    std::string members;
    for (int i = 0; i < count; ++i) {
      members += "\"key-" + std::to_string(i) + "\":{\"key-1\":" + std::to_string(i) + "},";
    }
    EXPECT_TRUE(parse_json("{" + members + "\"last\":0}")) << count;
    for (const char* again : {"\"key-1\":0}", "\"k\\u0065y-1\":0}", "\"\\u006bey-\\u0031\":0}"}) {
      const auto parsed = parse_json("{" + members + again);
      ASSERT_FALSE(parsed) << count << again;
      EXPECT_NE(parsed.error().message().find("\"key-1\""), std::string::npos);
    }
  }
}

TEST(CheckJson, SaysWhatParsingSays) {
  for (const char* text :
       {"{\"a\":[1,2.5,\"x\\n\",{},null,true]}", "[]", "{\"a\":1,\"a\":2}", "{\"a\":", "1e999",
        "[1,]", "\"\xff\"", "", "{} x", "18446744073709551615"}) {
    const auto parsed = parse_json(text);
    const auto checked = check_json(text);
    ASSERT_EQ(parsed.has_value(), checked.has_value()) << text;
    if (!parsed) {
      EXPECT_EQ(parsed.error().message(), checked.error().message()) << text;
    }
  }
  EXPECT_TRUE(check_json(nested(kMaxDepth, "[", "]")));
  EXPECT_FALSE(check_json(nested(kMaxDepth + 1, "[", "]")));
}

TEST(ParseJson, ReadsNestingUpToTheLimitAndRefusesMore) {
  EXPECT_TRUE(parse_json(nested(kMaxDepth, "[", "]")));
  EXPECT_FALSE(parse_json(nested(kMaxDepth + 1, "[", "]")));
  EXPECT_FALSE(parse_json(nested(10'000, "[", "]")));
  EXPECT_FALSE(parse_json(nested(10'000, "{\"a\":", "}")));
  EXPECT_FALSE(parse_json(std::string(1'000'000, '[')));
}

TEST(ParseJson, RefusesInvalidUtf8) {
  for (const char* bytes :
       {"\xff", "\xc3", "\xc0\x80", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\x80", "\xe2\x82"}) {
    EXPECT_FALSE(parse_json("\"" + std::string(bytes) + "\""));
    EXPECT_FALSE(parse_json("{\"" + std::string(bytes) + "\":1}"));
  }
  EXPECT_FALSE(parse_json("\"\\ud800\""));
  EXPECT_FALSE(parse_json("\"\\udc00\\ud800\""));
}

TEST(ParseJson, ReadsEscapesAndNulInStringsAndKeys) {
  EXPECT_EQ(string_at(read("{\"a\":\"x\\u0000y\"}"), "a"), std::string_view("x\0y", 3));
  EXPECT_EQ(to_text(read("{\"k\\u0000\":\"\\u0000\"}")), "{\"k\\u0000\":\"\\u0000\"}");
  EXPECT_EQ(string_at(read("{\"a\":\"\\ud83d\\ude00\\u00e9\\/\"}"), "a"), "😀é/");
  EXPECT_FALSE(parse_json(std::string_view("\"\0\"", 3)));
  EXPECT_FALSE(parse_json(std::string_view("{}\0", 3)));
}

TEST(ParseJson, KeepsIntegersExactUpToTheLargestUnsigned) {
  for (const char* text : {"0", "-1", "9007199254740993", "9223372036854775807",
                           "-9223372036854775808", "9223372036854775808", "18446744073709551615"}) {
    EXPECT_EQ(to_text(read(text)), text);
  }
  EXPECT_TRUE(read("18446744073709551615").is_uint64());
  EXPECT_EQ(read("18446744073709551616").get_double(), 18446744073709551616.0);
}

TEST(ParseJson, RefusesNumbersBeyondDoubleAndRoundsTinyOnesToZero) {
  for (const char* text : {"1e400", "-1e400", "1e309", "123456789e9999999"}) {
    EXPECT_FALSE(parse_json(text)) << text;
  }
  EXPECT_FALSE(parse_json("1" + std::string(400, '0')));
  EXPECT_EQ(read("1e-400").get_double(), 0.0);
  EXPECT_EQ(read("5e-324").get_double(), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(read("0." + std::string(400, '0') + "1e401").get_double(), 1.0);
  EXPECT_EQ(read("0.1" + std::string(1000, '0') + "1").get_double(), 0.1);
}

TEST(ToText, WritesDoublesAsGoDoes) {
  const std::pair<double, const char*> cases[] = {
      {0.1, "0.1"},
      {1e21, "1e+21"},
      {1e20, "100000000000000000000"},
      {1.5, "1.5"},
      {1e-6, "0.000001"},
      {1e-7, "1e-7"},
      {-2.5e-9, "-2.5e-9"},
      {1e-10, "1e-10"},
      {1.5e300, "1.5e+300"},
      {1e100, "1e+100"},
      {100, "100"},
      {-0.25, "-0.25"},
      {5e-324, "5e-324"},
      {1.7976931348623157e308, "1.7976931348623157e+308"},
      {0.30000000000000004, "0.30000000000000004"},
      {1.2345678901234568e20, "123456789012345680000"},
  };
  for (const auto& [value, text] : cases) EXPECT_EQ(to_text(Json(value)), text);
}

TEST(ToText, WritesNullForWhatJsonCannotSay) {
  EXPECT_EQ(to_text(Json(std::numeric_limits<double>::infinity())), "null");
  EXPECT_EQ(to_text(Json(std::nan(""))), "null");
}

TEST(ToText, RoundTripsDoublesOfAnyBitPattern) {
  std::mt19937_64 random(20261116);
  for (int i = 0; i < 20'000; ++i) {
    const auto value = std::bit_cast<double>(random());
    if (!std::isfinite(value)) continue;
    const std::string text = to_text(Json(value));
    const auto back = parse_json(text);
    ASSERT_TRUE(back) << text;
    ASSERT_EQ(back->to_number<double>(), value) << text;
  }
}

TEST(ToText, RoundTripsDoublesOfEverydaySize) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 20'000; ++i) {
    const int power = static_cast<int>(random() % 60) - 20;
    const double value = static_cast<double>(random() % 1'000'000'007) * std::pow(10, power);
    const std::string text = to_text(Json(value));
    ASSERT_EQ(read(text).to_number<double>(), value) << text;
  }
}

TEST(ToText, EscapesWhatJsonDemandsAndNothingElse) {
  EXPECT_EQ(to_text(Json("a\"b\\c\n\r\t\b\x1f/é<>")), "\"a\\\"b\\\\c\\n\\r\\t\\u0008\\u001f/é<>\"");
}

TEST(ToText, EscapesAtAnyPlaceOfAnyRun) {
  // Characters are looked at eight at a time: put each kind at each place among others.
  for (std::size_t length = 1; length < 20; ++length) {
    for (std::size_t at = 0; at < length; ++at) {
      for (int c = 0; c < 128; ++c) {
        std::string text(length, 'a');
        text[at] = static_cast<char>(c);
        std::string expected = "\"";
        for (const char each : text) {
          const auto byte = static_cast<unsigned char>(each);
          if (each == '"' || each == '\\') expected += '\\';
          if (byte >= 0x20) {
            expected += each;
          } else {
            char escaped[8];
            std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(byte));
            expected += each == '\n'   ? "\\n"
                        : each == '\r' ? "\\r"
                        : each == '\t' ? "\\t"
                                       : escaped;
          }
        }
        ASSERT_EQ(to_text(Json(text)), expected + "\"") << length << ' ' << at << ' ' << c;
      }
    }
  }
}

TEST(ToText, KeepsUtf8AndReplacesWhatIsNot) {
  for (const char* text : {"é", "字", "🚂", "aé字🚂b", "\x7f", "日本語のテキスト",
                           "\xf4\x8f\xbf\xbf", "\xed\x9f\xbf"}) {
    EXPECT_EQ(to_text(Json(text)), "\"" + std::string(text) + "\"");
  }
  const std::string_view bad[] = {"\x80",
                                  "\xc0\x80",
                                  "\xc1\xbf",
                                  "\xe0\x80\x80",
                                  "\xed\xa0\x80",
                                  "\xf0\x80\x80\x80",
                                  "\xf4\x90\x80\x80",
                                  "\xf5\x80\x80\x80",
                                  "\xff",
                                  "\xc3",
                                  "\xe5\xad",
                                  "\xf0\x9f\x9a"};
  for (const std::string_view text : bad) {
    const std::string written = to_text(Json("a" + std::string(text) + "b"));
    EXPECT_TRUE(check_json(written)) << written;
    EXPECT_TRUE(written.starts_with("\"a\xef\xbf\xbd")) << written;
    EXPECT_TRUE(
        written.ends_with("\xef\xbf\xbd"
                          "b\""))
        << written;
  }
  std::mt19937 random(7);
  for (int i = 0; i < 20'000; ++i) {
    std::string text(random() % 12, 'x');
    for (char& c : text)
      c = static_cast<char>(random() % 4 == 0 ? random() % 128 : 128 + random() % 128);
    JsonObject object;
    object[text] = text;
    ASSERT_TRUE(check_json(to_text(object)));
  }
}

TEST(ToText, WritesTextsOfAnySizeOneAfterTheOther) {
  for (const std::size_t size :
       {std::size_t{10}, std::size_t{5'000}, std::size_t{300'000}, std::size_t{20}}) {
    const std::string text(size, 'x');
    EXPECT_EQ(to_text(JsonArray{text, 1}), "[\"" + text + "\",1]");
  }
}

TEST(AppendText, AddsToWhatIsThere) {
  std::string out = "x";
  append_text(out, read("{\"a\":1}"));
  EXPECT_EQ(out, "x{\"a\":1}");
}

TEST(ToPrettyText, IndentsByTwoAndKeepsEmptyContainersShort) {
  EXPECT_EQ(to_pretty_text(read("{\"a\":[1,{\"b\":null}],\"c\":{},\"d\":[]}")),
            "{\n  \"a\": [\n    1,\n    {\n      \"b\": null\n    }\n  ],\n  \"c\": {},\n"
            "  \"d\": []\n}");
}

TEST(SameJson, MindsValuesAndTheOrderOfElementsButNotOfMembers) {
  const auto same = [](const char* left, const char* right) {
    const bool result = same_json(read(left), read(right));
    EXPECT_EQ(result, same_json(read(right), read(left))) << left << right;
    EXPECT_EQ(result, read(left) == read(right)) << left << right;
    return result;
  };
  EXPECT_TRUE(same(R"({"a":1,"b":{"c":[1,"x",null],"d":true}})",
                   R"({"b":{"d":true,"c":[1,"x",null]},"a":1})"));
  EXPECT_TRUE(same("[]", "[]"));
  EXPECT_TRUE(same("18446744073709551615", "18446744073709551615"));
  EXPECT_FALSE(same("[1,2]", "[2,1]"));
  EXPECT_FALSE(same("[1]", "[1,1]"));
  EXPECT_FALSE(same("{}", "[]"));
  EXPECT_FALSE(same(R"({"a":1})", R"({"b":1})"));
  EXPECT_FALSE(same(R"({"a":1})", R"({"a":1,"b":null})"));
  EXPECT_FALSE(same(R"({"a":{"b":1}})", R"({"a":{"b":2}})"));
  EXPECT_FALSE(same(R"({"a":"1"})", R"({"a":1})"));
}

TEST(Find, WalksObjectsAndIsNullWhereAStepIsMissing) {
  Json root = read("{\"a\":{\"b\":{\"c\":5}},\"list\":[{\"x\":1}],\"n\":null}");
  ASSERT_NE(find(root, "a.b.c"), nullptr);
  EXPECT_EQ(find(root, "a.b.c")->get_int64(), 5);
  EXPECT_EQ(find(root, ""), &root);
  for (const char* path : {"x", "a.x", "a.b.c.d", "list.x", "list.0", "n.x", ".", "a..b", "A"}) {
    EXPECT_EQ(find(root, path), nullptr) << path;
  }
  *find(root, "a.b") = 7;
  EXPECT_EQ(to_text(root.at("a")), "{\"b\":7}");
}

TEST(ValueAt, GivesTheFallbackWhenMissingOrOfAnotherType) {
  const Json root =
      read("{\"s\":\"text\",\"i\":-3,\"b\":true,\"o\":{\"k\":1},\"l\":[1,2],\"d\":2.5,\"n\":null}");
  EXPECT_EQ(string_at(root, "s"), "text");
  EXPECT_EQ(string_at(root, "i", "none"), "none");
  EXPECT_EQ(string_at(root, "o.x", "none"), "none");
  EXPECT_EQ(int_at(root, "i"), -3);
  EXPECT_EQ(int_at(root, "s", 9), 9);
  EXPECT_EQ(int_at(root, "d", 9), 9);
  EXPECT_TRUE(bool_at(root, "b"));
  EXPECT_TRUE(bool_at(root, "n", true));
  EXPECT_EQ(object_at(root, "o").size(), 1U);
  EXPECT_TRUE(object_at(root, "l").empty());
  EXPECT_EQ(array_at(root, "l").size(), 2U);
  EXPECT_TRUE(array_at(root, "missing.path").empty());
}

TEST(ParseJsonWithout, LeavesOutMembersOfThatNameWhereverTheyAre) {
  const auto pruned = [](std::string_view text) {
    const auto tree = parse_json_without(text, {"x", "long\nname"});
    return tree ? to_text(*tree) : tree.error().message();
  };
  EXPECT_EQ(pruned(R"({"a":1,"x":{"b":[{"x":1}],"c":2},"d":"e"})"), R"({"a":1,"d":"e"})");
  EXPECT_EQ(pruned(R"([{"x":"s"},{"x":null,"y":2.5},{"x":[1,[2]],"z":true},"x"])"),
            R"([{},{"y":2.5},{"z":true},"x"])");
  EXPECT_EQ(pruned(R"({"x":1,"x2":-1,"long\nname":false,"a\"b":{"x":1,"c":{}}})"),
            R"({"x2":-1,"a\"b":{"c":{}}})");
  EXPECT_EQ(pruned(R"({"a":{"b":{"x":18446744073709551615,"y":18446744073709551615}}})"),
            R"({"a":{"b":{"y":18446744073709551615}}})");
}

TEST(ParseJsonWithout, ItsPartsOutliveTheRest) {
  std::unique_ptr<Json> part;
  {
    auto tree =
        parse_json_without(R"({"items":[{"name":"a rather long name, for a string"}]})", {});
    ASSERT_TRUE(tree);
    part = std::make_unique<Json>(std::move(find(*tree, "items")->get_array().front()));
  }
  part->get_object()["more"] = "another text that is too long to be kept in place";
  EXPECT_EQ(string_at(*part, "name"), "a rather long name, for a string");
}

TEST(ParseJsonWithout, ChecksWhatItLeavesOut) {
  EXPECT_FALSE(parse_json_without(R"({"x":{"a":1})", {"x"}));
  EXPECT_FALSE(parse_json_without(R"({"x":1e999})", {"x"}));
}

TEST(MakePath, MakesObjectsOnTheWayAndReplacesWhatIsNotAnObject) {
  Json root;
  make_path(root, "a.b.c") = 1;
  make_path(root, "a.b.d") = "x";
  make_path(root, "a.b.c.e") = true;
  EXPECT_EQ(to_text(root), "{\"a\":{\"b\":{\"c\":{\"e\":true},\"d\":\"x\"}}}");
  EXPECT_EQ(&make_path(root, ""), &root);
}

}  // namespace
}  // namespace trainyard
