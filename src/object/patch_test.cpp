#include "object/patch.h"

#include <fmt/format.h>
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

std::shared_ptr<const Schema> pod_schema() {
  return *Schema::compile(read(R"({"type":"object","properties":{
    "name":{"type":"string"},
    "labels":{"type":"object","additionalProperties":{"type":"string"}},
    "args":{"type":"array","items":{"type":"string"}},
    "finalizers":{"type":"array","items":{"type":"string"},"x-kubernetes-patch-strategy":"merge"},
    "containers":{"type":"array","x-kubernetes-patch-merge-key":"name",
      "x-kubernetes-patch-strategy":"merge",
      "items":{"type":"object","properties":{
        "name":{"type":"string"},"image":{"type":"string"},
        "ports":{"type":"array","x-kubernetes-list-type":"map",
          "x-kubernetes-list-map-keys":["containerPort"],"items":{"type":"object"}}}}},
    "strategy":{"type":"object","properties":{"type":{"type":"string"}}}}})"),
                          {});
}

Result<std::string> strategic(std::string_view target, std::string_view patch) {
  Json value = read(target);
  TRY_OK(apply_strategic_patch(value, read(patch), *pod_schema()));
  return to_text(value);
}

TEST(StrategicPatch, MergesAsKubernetesDoes) {
  const char* const cases[][3] = {
      // plain fields and maps
      {R"({"name":"a","labels":{"x":"1","y":"2"}})", R"({"name":"b","labels":{"x":null,"z":"3"}})",
       R"({"name":"b","labels":{"y":"2","z":"3"}})"},
      {R"({"labels":{"x":"1"}})", R"({"labels":{"$patch":"replace","z":"3"}})",
       R"({"labels":{"z":"3"}})"},
      {R"({"name":"a","labels":{"x":"1"}})", R"({"labels":{"$patch":"delete"}})",
       R"({"name":"a","labels":{}})"},
      {R"({"name":"a","labels":{"x":"1"}})", R"({"$patch":"delete"})", R"({})"},
      {R"({"name":"a"})", R"({"$patch":"replace","labels":{}})", R"({"labels":{}})"},
      {R"({"strategy":{"type":"R","rolling":{"n":1}}})",
       R"({"strategy":{"$retainKeys":["type"],"type":"S"}})", R"({"strategy":{"type":"S"}})"},
      {R"({})", R"({"unknown":{"a":{"b":null,"c":1}}})", R"({"unknown":{"a":{"c":1}}})"},
      // lists without a key are replaced
      {R"({"args":["a","b"]})", R"({"args":["c"]})", R"({"args":["c"]})"},
      // lists of plain values
      {R"({"finalizers":["a","b"]})", R"({"finalizers":["b","c"]})",
       R"({"finalizers":["a","b","c"]})"},
      {R"({"finalizers":["a","b","a"]})", R"({"$deleteFromPrimitiveList/finalizers":["a"]})",
       R"({"finalizers":["b"]})"},
      {R"({"finalizers":["a"]})",
       R"({"$deleteFromPrimitiveList/finalizers":["a"],"$setElementOrder/finalizers":["b"],"finalizers":["b"]})",
       R"({"finalizers":["b"]})"},
      {R"({})", R"({"$deleteFromPrimitiveList/finalizers":["a"]})", R"({})"},
      // lists with a key
      {R"({"containers":[{"name":"a","image":"1"},{"name":"b","image":"1"}]})",
       R"({"containers":[{"name":"b","image":"2"},{"name":"c","image":"3"}]})",
       R"({"containers":[{"name":"a","image":"1"},{"name":"b","image":"2"},{"name":"c","image":"3"}]})"},
      {R"({"containers":[{"name":"a"},{"name":"b"}]})",
       R"({"containers":[{"name":"a","$patch":"delete"}]})", R"({"containers":[{"name":"b"}]})"},
      {R"({"containers":[{"name":"a"}]})", R"({"containers":[{"name":"x","$patch":"delete"}]})",
       R"({"containers":[{"name":"a"}]})"},
      {R"({"containers":[{"name":"a","image":"1"}]})",
       R"({"containers":[{"$patch":"replace"},{"name":"b"}]})", R"({"containers":[{"name":"b"}]})"},
      {R"({"containers":[{"name":"a","image":"1"}]})",
       R"({"containers":[{"name":"b"},{"$patch":"replace"}]})", R"({"containers":[{"name":"b"}]})"},
      {R"({"containers":[{"name":"a","image":"1"}]})",
       R"({"containers":[{"name":"a","image":null}]})", R"({"containers":[{"name":"a"}]})"},
      {R"({"containers":[{"name":"a"}]})", R"({"containers":null})", R"({})"},
      {R"({})", R"({"containers":[{"name":"a","image":null}]})",
       R"({"containers":[{"name":"a"}]})"},
      {R"({"containers":[{"name":"a","ports":[{"containerPort":80,"name":"x"},{"containerPort":81}]}]})",
       R"({"containers":[{"name":"a","ports":[{"containerPort":80,"name":"y"}]}]})",
       R"({"containers":[{"name":"a","ports":[{"containerPort":80,"name":"y"},{"containerPort":81}]}]})"},
      {R"({"containers":[{"name":"a"}]})", R"({"$setElementOrder/containers":[{"name":"a"}]})",
       R"({"containers":[{"name":"a"}]})"},
  };
  for (const auto& one : cases) {
    const auto result = strategic(one[0], one[1]);
    ASSERT_TRUE(result) << one[1] << ": " << result.error().message();
    EXPECT_EQ(*result, one[2]) << one[0] << " with " << one[1];
  }
}

TEST(StrategicPatch, RefusesElementsWithoutTheirKeyAndUnknownDirectives) {
  for (const char* patch :
       {R"({"containers":[{"image":"1"}]})", R"({"containers":["a"]})", R"({"containers":[null]})",
        R"({"labels":{"$patch":"explode"}})", R"({"$patch":"merge"})",
        R"({"containers":[{"name":"a","$patch":"explode"}]})"}) {
    EXPECT_FALSE(strategic(R"({"containers":[{"name":"a"}]})", patch)) << patch;
  }
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

TEST(JsonPatch, FailsAsInvalidWhenATestDoesNotHold) {
  Json target = read(R"({"a":[1,2]})");
  EXPECT_TRUE(apply_json_patch(target, read(R"([{"op":"test","path":"/a","value":[2,1]}])"))
                  .failed_with(Code::kInvalid));
  EXPECT_FALSE(patched(R"({"a":"1"})", R"([{"op":"test","path":"/a","value":1}])"));
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
