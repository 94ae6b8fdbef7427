#include "object/schema/shared_types.h"

#include <gtest/gtest.h>

namespace trainyard {
namespace {

Json json(std::string_view text) {
  return parse_json(text).value_or(nullptr);
}

TEST(WithoutDefaults, RemovesDefaultsAtEveryDepth) {
  const Json schema = json(R"({"type":"object","default":{},"properties":{
      "a":{"type":"string","default":"x"},
      "b":{"type":"array","items":{"type":"object","properties":{"c":{"default":1}}}},
      "d":{"type":"object","additionalProperties":{"default":true}}}})");
  EXPECT_EQ(without_defaults(schema), json(R"({"type":"object","properties":{
      "a":{"type":"string"},
      "b":{"type":"array","items":{"type":"object","properties":{"c":{}}}},
      "d":{"type":"object","additionalProperties":{}}}})"));
}

TEST(WithoutDefaults, KeepsAFieldThatIsCalledDefault) {
  const Json schema = json(R"({"properties":{"default":{"type":"string","default":"x"}}})");
  EXPECT_EQ(without_defaults(schema), json(R"({"properties":{"default":{"type":"string"}}})"));
}

TEST(WithoutDefaults, KeepsThoseOfFieldsThatTellElementsApart) {
  const Json schema = json(R"({"type":"array","x-kubernetes-list-map-keys":["port","protocol"],
      "items":{"properties":{"protocol":{"default":"TCP"},"name":{"default":"n"}}}})");
  EXPECT_EQ(without_defaults(schema),
            json(R"({"type":"array","x-kubernetes-list-map-keys":["port","protocol"],
      "items":{"properties":{"protocol":{"default":"TCP"},"name":{}}}})"));
}

}  // namespace
}  // namespace trainyard
