#include "object/patch/patch.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace trainyard {
namespace {

Json read(std::string_view text) {
  return *parse_json(text);
}

Result<std::string> patched(std::string_view target, std::string_view patch) {
  Json value = read(target);
  TRY_OK(apply_json_patch(value, read(patch)));
  return to_text(value);
}

TEST(JsonPatch, FollowsRfc6902) {
  const char* const cases[][3] = {
      {R"({"a":1})", R"([])", R"({"a":1})"},
      {R"({"a":1})", R"([{"op":"add","path":"/b","value":2}])", R"({"a":1,"b":2})"},
      {R"({"a":1})", R"([{"op":"add","path":"/a","value":null}])", R"({"a":null})"},
      {R"({"a":[1,3]})", R"([{"op":"add","path":"/a/1","value":2}])", R"({"a":[1,2,3]})"},
      {R"({"a":[1]})", R"([{"op":"add","path":"/a/-","value":[2]}])", R"({"a":[1,[2]]})"},
      {R"({"a":[1]})", R"([{"op":"add","path":"/a/1","value":2}])", R"({"a":[1,2]})"},
      {R"({"a":1})", R"([{"op":"add","path":"","value":[7]}])", R"([7])"},
      {R"({"a":1,"b":2,"c":3})", R"([{"op":"remove","path":"/a"}])", R"({"b":2,"c":3})"},
      {R"({"a":[1,2,3]})", R"([{"op":"remove","path":"/a/1"}])", R"({"a":[1,3]})"},
      {R"({"a":1,"b":2})", R"([{"op":"replace","path":"/a","value":9}])", R"({"a":9,"b":2})"},
      {R"({"a":[1,2]})", R"([{"op":"replace","path":"/a/1","value":9}])", R"({"a":[1,9]})"},
      {R"({"a":1})", R"([{"op":"replace","path":"","value":{}}])", R"({})"},
      {R"({"a":{"x":1},"b":{}})", R"([{"op":"move","from":"/a/x","path":"/b/y"}])",
       R"({"a":{},"b":{"y":1}})"},
      {R"([1,2,3])", R"([{"op":"move","from":"/0","path":"/2"}])", R"([2,3,1])"},
      {R"({"a":{"x":1}})", R"([{"op":"copy","from":"/a","path":"/a/y"}])",
       R"({"a":{"x":1,"y":{"x":1}}})"},
      {R"({"a":{"x":[1,{"y":2}]}})", R"([{"op":"test","path":"/a","value":{"x":[1,{"y":2}]}}])",
       R"({"a":{"x":[1,{"y":2}]}})"},
      {R"({"m/n":1,"~":2,"":3})",
       R"([{"op":"test","path":"/m~1n","value":1},{"op":"test","path":"/~0","value":2},
           {"op":"test","path":"/","value":3}])",
       R"({"m/n":1,"~":2,"":3})"},
      {R"({"~1":10})", R"([{"op":"remove","path":"/~01"}])", R"({})"},
      {R"({"a.b":{"c":1}})", R"([{"op":"replace","path":"/a.b/c","value":2}])",
       R"({"a.b":{"c":2}})"},
      {R"({"a":1,"b":[1.0]})",
       R"([{"op":"test","path":"/a","value":1.0},{"op":"test","path":"/b","value":[1]}])",
       R"({"a":1,"b":[1]})"},
      {R"({"a":{"x":1,"y":2}})", R"([{"op":"test","path":"/a","value":{"y":2,"x":1}}])",
       R"({"a":{"x":1,"y":2}})"},
      {R"({"a":null})", R"([{"op":"test","path":"/a","value":null}])", R"({"a":null})"},
      {R"({"a":1})", R"([{"op":"test","path":"","value":{"a":1}}])", R"({"a":1})"},
      {R"({"a":1,"b":2})", R"([{"op":"move","from":"/a","path":"/a"}])", R"({"a":1,"b":2})"},
      {R"({"a":1,"b":2})", R"([{"op":"move","from":"/a","path":"/b"}])", R"({"b":1})"},
      {R"({"a":{"b":1}})", R"([{"op":"move","from":"/a/b","path":"/a"}])", R"({"a":1})"},
      {R"([1,2,3])", R"([{"op":"move","from":"/2","path":"/0"}])", R"([3,1,2])"},
      {R"([1,2,3])", R"([{"op":"move","from":"/0","path":"/-"}])", R"([2,3,1])"},
      {R"({"a":[1]})", R"([{"op":"copy","from":"/a/0","path":"/a/-"}])", R"({"a":[1,1]})"},
      {R"({"a":1})", R"([{"op":"copy","from":"","path":"/b"}])", R"({"a":1,"b":{"a":1}})"},
      {R"({"-":1,"0":2})", R"([{"op":"remove","path":"/-"},{"op":"add","path":"/0","value":3}])",
       R"({"0":3})"},
      {R"({"a":1})", R"([{"op":"remove","path":"/a","value":7,"note":"ignored"}])", R"({})"},
  };
  for (const auto& one : cases) {
    const auto result = patched(one[0], one[1]);
    ASSERT_TRUE(result) << one[1] << ": " << result.error().message();
    EXPECT_EQ(*result, one[2]) << one[0] << " with " << one[1];
  }
}

TEST(JsonPatch, RefusesWhatCannotBeDone) {
  for (const char* patch : {R"({})",
                            R"("x")",
                            R"([1])",
                            R"([{}])",
                            R"([{"op":"add","value":1}])",
                            R"([{"op":"remove"}])",
                            R"([{"op":"copy","path":"/x"}])",
                            R"([{"op":"move","path":"/x"}])",
                            R"([{"op":"add","path":"/x"}])",
                            R"([{"op":"add","path":5,"value":1}])",
                            R"([{"op":"add","path":"x","value":1}])",
                            R"([{"op":"add","path":"/x/y","value":1}])",
                            R"([{"op":"add","path":"/n/y","value":1}])",
                            R"([{"op":"add","path":"/a/3","value":1}])",
                            R"([{"op":"add","path":"/a/01","value":1}])",
                            R"([{"op":"add","path":"/a/+1","value":1}])",
                            R"([{"op":"add","path":"/a/x","value":1}])",
                            R"([{"op":"add","path":"/a/","value":1}])",
                            R"([{"op":"add","path":"/a/99999999999999999999999","value":1}])",
                            R"([{"op":"remove","path":"/x"}])",
                            R"([{"op":"remove","path":"/a/2"}])",
                            R"([{"op":"remove","path":"/a/-"}])",
                            R"([{"op":"remove","path":""}])",
                            R"([{"op":"replace","path":"/x","value":1}])",
                            R"([{"op":"replace","path":"/a/2","value":1}])",
                            R"([{"op":"move","from":"/a","path":"/a/0"}])",
                            R"([{"op":"copy","from":"/x","path":"/y"}])",
                            R"([{"op":"explode","path":"/a"}])",
                            R"([{"op":"ADD","path":"/a","value":1}])"}) {
    EXPECT_FALSE(patched(R"({"a":[1,2],"n":5})", patch)) << patch;
  }
}

TEST(JsonPatch, SaysWhatDoesNotFitTheObject) {
  const char* const cases[][2] = {
      {R"([{"op":"test","path":"/a","value":[2,1]}])",
       R"(operation 0 (test): test failed: "/a" is [1,2], not [2,1])"},
      {R"([{"op":"test","path":"/n","value":"5"}])",
       R"(operation 0 (test): test failed: "/n" is 5, not "5")"},
      {R"([{"op":"test","path":"/x","value":null}])",
       R"(operation 0 (test): there is nothing at "/x")"},
      {R"([{"op":"add","path":"/n","value":6},{"op":"remove","path":"/o/x/y"}])",
       R"(operation 1 (remove): there is nothing at "/o/x")"},
      {R"([{"op":"replace","path":"/n/x","value":1}])",
       R"(operation 0 (replace): there is nothing at "/n/x")"},
      {R"([{"op":"add","path":"/n/x","value":1}])",
       R"(operation 0 (add): "/n" is neither an object nor a list: nothing can be added)"},
      {R"([{"op":"add","path":"/x/y","value":1}])",
       R"(operation 0 (add): there is nothing at "/x")"},
      {R"([{"op":"add","path":"/a/3","value":1}])",
       R"(operation 0 (add): index 3 is out of range: the list at "/a" has 2 elements)"},
      {R"([{"op":"remove","path":"/a/2"}])",
       R"(operation 0 (remove): index 2 is out of range: the list at "/a" has 2 elements)"},
      {R"([{"op":"add","path":"/a/99999999999999999999999","value":1}])",
       "operation 0 (add): index 99999999999999999999999 is out of range: the list at \"/a\" has 2 "
       "elements"},
      {R"([{"op":"remove","path":"/a/-"}])",
       R"(operation 0 (remove): "-" is not an index, and "/a" is a list)"},
      {R"([{"op":"replace","path":"/a/-1","value":1}])",
       R"(operation 0 (replace): "-1" is not an index, and "/a" is a list)"},
      {R"([{"op":"copy","from":"/x","path":"/y"}])",
       R"(operation 0 (copy): there is nothing at "/x")"},
      {R"([{"op":"move","from":"/a/5","path":"/y"}])",
       R"(operation 0 (move): index 5 is out of range: the list at "/a" has 2 elements)"},
      {R"([{"op":"move","from":"/x","path":"/x"}])",
       R"(operation 0 (move): there is nothing at "/x")"},
  };
  for (const auto& one : cases) {
    Json target = read(R"({"a":[1,2],"n":5,"o":{}})");
    const auto failed = apply_json_patch(target, read(one[0]));
    ASSERT_TRUE(failed.failed_with(Code::kInvalid)) << one[0];
    EXPECT_EQ(failed.error().message(), one[1]);
  }
}

TEST(JsonPatch, RefusesWhatIsNoPatchAsABadRequest) {
  for (const char* patch :
       {R"({})", R"([1])", R"([{"op":"add","path":"/x"}])", R"([{"op":"test","path":"/a"}])",
        R"([{"op":"explode","path":"/a"}])", R"([{"path":"/a","value":1}])",
        R"([{"op":"remove","path":"a"}])", R"([{"op":"remove","path":"/a~2b"}])",
        R"([{"op":"remove","path":"/~"}])", R"([{"op":"move","path":"/a"}])",
        R"([{"op":"copy","from":1,"path":"/b"}])", R"([{"op":"move","from":"/a","path":"/a/0"}])",
        R"([{"op":"move","from":"/a/0","path":"/a/0/x"}])",
        R"([{"op":"move","from":"","path":"/a"}])"}) {
    Json target = read(R"({"a":[{},{}]})");
    EXPECT_TRUE(apply_json_patch(target, read(patch)).failed_with(Code::kBadRequest)) << patch;
  }
}

TEST(JsonPatch, RefusesCopiesThatDoubleTheObjectWithoutEnd) {
  Json target = read(R"({"a":{"x":"0123456789"}})");
  JsonArray operations;
  for (int i = 0; i < 60; ++i) {
    operations.push_back({{"op", "copy"}, {"from", "/a"}, {"path", fmt::format("/a/{}", i)}});
  }
  EXPECT_TRUE(apply_json_patch(target, operations).failed_with(Code::kTooLarge));
}

TEST(JsonPatch, RefusesMovesThatNestTheObjectBeyondTheLimit) {
  Json target = read(R"({"a":{}})");
  JsonArray operations;
  for (int i = 0; i < 1'000; ++i) {
    operations.push_back({{"op", "add"}, {"path", "/b"}, {"value", JsonObject()}});
    operations.push_back({{"op", "move"}, {"from", "/a"}, {"path", "/b/a"}});
    operations.push_back({{"op", "move"}, {"from", "/b"}, {"path", "/a"}});
  }
  EXPECT_FALSE(apply_json_patch(target, operations));
}

TEST(JsonPatch, RefusesMoreThanTenThousandOperations) {
  Json target = read(R"({})");
  const Json operation = read(R"({"op":"add","path":"/a","value":1})");
  EXPECT_TRUE(apply_json_patch(target, JsonArray(10'000, operation)));
  EXPECT_TRUE(apply_json_patch(target, JsonArray(10'001, operation)).failed_with(Code::kTooLarge));
}

}  // namespace
}  // namespace trainyard
