#include "object/patch/patch.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace trainyard {
namespace {

Json read(std::string_view text) {
  return *parse_json(text);
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
        R"({"labels":{"$patch":"explode"}})", R"({"$patch":7})", R"([])", R"("x")",
        R"({"containers":[{"name":"a","$patch":"explode"}]})"}) {
    EXPECT_FALSE(strategic(R"({"containers":[{"name":"a"}]})", patch)) << patch;
  }
}

TEST(StrategicPatch, MergesWhereItIsToldTo) {
  EXPECT_EQ(*strategic(R"({"labels":{"x":"1"}})", R"({"$patch":"merge","labels":{"y":"2"}})"),
            R"({"labels":{"x":"1","y":"2"}})");
  EXPECT_EQ(*strategic(R"({"containers":[{"name":"a","image":"1"}]})",
                       R"({"containers":[{"name":"a","$patch":"merge"}]})"),
            R"({"containers":[{"name":"a","image":"1"}]})");
}

TEST(StrategicPatch, AddsNothingThatItDeletesOrSetsToNull) {
  const char* const cases[][3] = {
      {R"({})", R"({"labels":{"$patch":"delete"}})", R"({})"},
      {R"({"labels":"x"})", R"({"labels":{"$patch":"delete"}})", R"({})"},
      {R"({})", R"({"labels":{"$patch":"replace","x":"1","y":null}})", R"({"labels":{"x":"1"}})"},
      {R"({})", R"({"strategy":{"a":{"$patch":"delete"},"b":1}})", R"({"strategy":{"b":1}})"},
      {R"({})", R"({"containers":[{"name":"a","$patch":"delete"},{"name":"b"}]})",
       R"({"containers":[{"name":"b"}]})"},
      {R"({})", R"({"unknown":{"a":{"$patch":"replace","b":1}}})", R"({"unknown":{"a":{"b":1}}})"},
      {R"({"containers":[{"name":"a","image":"1"},{"name":"b"},{"name":"a","image":"2"}]})",
       R"({"containers":[{"name":"a","$patch":"delete"}]})", R"({"containers":[{"name":"b"}]})"},
      {R"({"containers":[{"name":"a","image":"1"}]})",
       R"({"containers":[{"name":"a","$patch":"delete"},{"name":"a"}]})",
       R"({"containers":[{"name":"a"}]})"},
  };
  for (const auto& one : cases) {
    const auto result = strategic(one[0], one[1]);
    ASSERT_TRUE(result) << one[1] << ": " << result.error().message();
    EXPECT_EQ(*result, one[2]) << one[0] << " with " << one[1];
  }
}

TEST(StrategicPatch, PutsListsInOrder) {
  const char* const cases[][3] = {
      // as the patch has it, among what the patch does not name
      {R"({"finalizers":["a","b"]})", R"({"finalizers":["c","a"]})",
       R"({"finalizers":["c","a","b"]})"},
      {R"({"finalizers":["a","a","b"]})", R"({"finalizers":["c"]})",
       R"({"finalizers":["c","a","b"]})"},
      {R"({"containers":[{"name":"a"},{"name":"b"},{"name":"c"}]})",
       R"({"containers":[{"name":"c"},{"name":"a","image":"1"}]})",
       R"({"containers":[{"name":"b"},{"name":"c"},{"name":"a","image":"1"}]})"},
      // as it is asked for
      {R"({"finalizers":["a","b","c"]})", R"({"$setElementOrder/finalizers":["c","b","a"]})",
       R"({"finalizers":["c","b","a"]})"},
      {R"({"finalizers":["a","x","b"]})", R"({"$setElementOrder/finalizers":["b","a"]})",
       R"({"finalizers":["x","b","a"]})"},
      {R"({"finalizers":["a","b"]})",
       R"({"$setElementOrder/finalizers":["c","a"],"$deleteFromPrimitiveList/finalizers":["b"],
           "finalizers":["c"]})",
       R"({"finalizers":["c","a"]})"},
      {R"({"containers":[{"name":"a"},{"name":"b","image":"1"},{"name":"c"}]})",
       R"({"$setElementOrder/containers":[{"name":"d"},{"name":"b"}],"containers":[
           {"name":"d"},{"name":"b","image":"2"},{"name":"a","$patch":"delete"}]})",
       R"({"containers":[{"name":"d"},{"name":"b","image":"2"},{"name":"c"}]})"},
      {R"({"containers":[{"name":"a","ports":[{"containerPort":1},{"containerPort":2}]}]})",
       R"({"containers":[{"name":"a",
           "$setElementOrder/ports":[{"containerPort":2},{"containerPort":1}]}]})",
       R"({"containers":[{"name":"a","ports":[{"containerPort":2},{"containerPort":1}]}]})"},
      {R"({})", R"({"$setElementOrder/finalizers":["a"]})", R"({})"},
      {R"({})", R"({"$setElementOrder/finalizers":["b","a"],"finalizers":["b","a"]})",
       R"({"finalizers":["b","a"]})"},
      {R"({"args":["a","b"]})", R"({"$setElementOrder/args":["c"],"args":["c"]})",
       R"({"args":["c"]})"},
  };
  for (const auto& one : cases) {
    const auto result = strategic(one[0], one[1]);
    ASSERT_TRUE(result) << one[1] << ": " << result.error().message();
    EXPECT_EQ(*result, one[2]) << one[0] << " with " << one[1];
  }
}

TEST(StrategicPatch, RefusesDirectivesThatContradictThePatch) {
  for (const char* patch :
       {R"({"$setElementOrder/finalizers":["a","b"],"finalizers":["b","a"]})",
        R"({"$setElementOrder/finalizers":["a"],"finalizers":["b"]})",
        R"({"$setElementOrder/containers":[{"name":"a"}],"containers":[{"name":"b"}]})",
        R"({"$setElementOrder/containers":[{"image":"a"}],"containers":[{"name":"b"}]})",
        R"({"$setElementOrder/finalizers":"a"})", R"({"$setElementOrder":["a"]})",
        R"({"$setElementOrder/finalizers":["a"],"finalizers":"a"})",
        R"({"$deleteFromPrimitiveList/finalizers":"a"})", R"({"$deleteFromPrimitiveList":["a"]})",
        R"({"strategy":{"$retainKeys":"type"}})",
        R"({"strategy":{"$retainKeys":["type"],"rolling":{}}})"}) {
    EXPECT_FALSE(strategic(R"({"finalizers":["a"],"containers":[{"name":"a"}]})", patch)) << patch;
  }
}

TEST(StrategicPatch, RetainsKeys) {
  const char* const cases[][3] = {
      {R"({"strategy":{"type":"R","rolling":{"n":1},"x":1}})",
       R"({"strategy":{"$retainKeys":["type","x"],"type":"S","rolling":null}})",
       R"({"strategy":{"type":"S","x":1}})"},
      {R"({"name":"a"})", R"({"strategy":{"$retainKeys":["type"],"type":"S"}})",
       R"({"name":"a","strategy":{"type":"S"}})"},
      {R"({"containers":[{"name":"a","image":"1"}]})",
       R"({"containers":[{"$retainKeys":["name"],"name":"a"}]})",
       R"({"containers":[{"name":"a"}]})"},
      {R"({"name":"a","finalizers":["x","y"]})",
       R"({"$retainKeys":["finalizers"],"$deleteFromPrimitiveList/finalizers":["x"],
           "$setElementOrder/finalizers":["y"]})",
       R"({"finalizers":["y"]})"},
  };
  for (const auto& one : cases) {
    const auto result = strategic(one[0], one[1]);
    ASSERT_TRUE(result) << one[1] << ": " << result.error().message();
    EXPECT_EQ(*result, one[2]) << one[0] << " with " << one[1];
  }
}

TEST(StrategicPatch, MergesLongListsInReasonableTime) {
  JsonArray values;
  JsonArray elements;
  for (int i = 0; i < 10'000; ++i) {
    values.push_back(i);
    elements.push_back({{"name", fmt::format("{}", i)}});
  }
  const Json patch = {
      {"finalizers", values}, {"containers", elements}, {"$setElementOrder/containers", elements}};
  Json target(JsonObject{});
  for (int round = 0; round < 2; ++round) {
    ASSERT_TRUE(apply_strategic_patch(target, patch, *pod_schema()));
  }
  EXPECT_EQ(array_at(target, "containers").size(), 10'000U);
}

}  // namespace
}  // namespace trainyard
