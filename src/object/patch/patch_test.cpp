#include "object/patch/patch.h"

#include <gtest/gtest.h>

namespace trainyard {
namespace {

Json read(std::string_view text) {
  return *parse_json(text);
}

std::string merged(std::string_view target, std::string_view patch) {
  Json value = read(target);
  apply_merge_patch(value, read(patch));
  return to_text(value);
}

TEST(MergePatch, FollowsTheExamplesOfRfc7386) {
  const char* const cases[][3] = {
      {R"({"a":"b"})", R"({"a":"c"})", R"({"a":"c"})"},
      {R"({"a":"b"})", R"({"b":"c"})", R"({"a":"b","b":"c"})"},
      {R"({"a":"b"})", R"({"a":null})", R"({})"},
      {R"({"a":"b","b":"c"})", R"({"a":null})", R"({"b":"c"})"},
      {R"({"a":["b"]})", R"({"a":"c"})", R"({"a":"c"})"},
      {R"({"a":"c"})", R"({"a":["b"]})", R"({"a":["b"]})"},
      {R"({"a":{"b":"c"}})", R"({"a":{"b":"d","c":null}})", R"({"a":{"b":"d"}})"},
      {R"({"a":[{"b":"c"}]})", R"({"a":[1]})", R"({"a":[1]})"},
      {R"(["a","b"])", R"(["c","d"])", R"(["c","d"])"},
      {R"({"a":"b"})", R"(["c"])", R"(["c"])"},
      {R"({"a":"foo"})", R"(null)", R"(null)"},
      {R"({"a":"foo"})", R"("bar")", R"("bar")"},
      {R"({"e":null})", R"({"a":1})", R"({"e":null,"a":1})"},
      {R"([1,2])", R"({"a":"b","c":null})", R"({"a":"b"})"},
      {R"({})", R"({"a":{"bb":{"ccc":null}}})", R"({"a":{"bb":{}}})"},
      {R"({"a":1,"b":2,"c":3,"d":4})", R"({"b":null})", R"({"a":1,"c":3,"d":4})"},
  };
  for (const auto& one : cases) EXPECT_EQ(merged(one[0], one[1]), one[2]) << one[1];
}

}  // namespace
}  // namespace trainyard
