#include "object/schema/schema.h"

#include <gtest/gtest.h>

namespace trainyard {
namespace {

using Shared = std::map<std::string, std::shared_ptr<const Schema>>;

Json read(std::string_view text) {
  return *parse_json(text);
}

std::shared_ptr<const Schema> compile(std::string_view text, const Shared& shared = {}) {
  auto compiled = Schema::compile(read(text), shared);
  EXPECT_TRUE(compiled) << text;
  return compiled ? *compiled : nullptr;
}

/// "path: reason" of each problem, in order.
std::vector<std::string> problems(const Schema& schema, std::string_view value) {
  std::vector<std::string> found;
  for (const FieldError& error : schema.validate(read(value))) {
    found.push_back(error.field + ": " + error.reason);
  }
  return found;
}

struct Case {
  const char* schema;  // of the field v
  const char* value;
  bool valid;
};

TEST(ValidateSchema, HoldsEachRuleAsKubernetesDoes) {
  const Case cases[] = {
      {R"({"type":"string"})", R"("")", true},
      {R"({"type":"string"})", "1", false},
      {R"({"type":"string"})", "null", false},
      {R"({"type":"string","nullable":true})", "null", true},
      {R"({"type":"integer"})", "3", true},
      {R"({"type":"integer"})", "3.0", true},
      {R"({"type":"integer"})", "3.5", false},
      {R"({"type":"integer"})", R"("3")", false},
      {R"({"type":"integer","format":"int32"})", "2147483647", true},
      {R"({"type":"integer","format":"int32"})", "-2147483648", true},
      {R"({"type":"integer","format":"int32"})", "2147483648", false},
      {R"({"type":"integer","format":"int32"})", "-2147483649", false},
      {R"({"type":"number"})", "3", true},
      {R"({"type":"number"})", "true", false},
      {R"({"type":"boolean"})", "false", true},
      {R"({"type":"boolean"})", R"("false")", false},
      {R"({"type":"object"})", "[]", false},
      {R"({"type":"array"})", "{}", false},
      {R"({"type":"integer","minimum":1,"maximum":3})", "1", true},
      {R"({"type":"integer","minimum":1,"maximum":3})", "3", true},
      {R"({"type":"integer","minimum":1,"maximum":3})", "0", false},
      {R"({"type":"integer","minimum":1,"maximum":3})", "4", false},
      {R"({"type":"string","minLength":2,"maxLength":3})", R"("éé")", true},
      {R"({"type":"string","minLength":2,"maxLength":3})", R"("😀😀😀")", true},
      {R"({"type":"string","minLength":2,"maxLength":3})", R"("x")", false},
      {R"({"type":"string","minLength":2,"maxLength":3})", R"("xxxx")", false},
      {R"({"type":"string","pattern":"^a+$"})", R"("aaa")", true},
      {R"({"type":"string","pattern":"^a+$"})", R"("aab")", false},
      {R"({"type":"string","pattern":"b"})", R"("abc")", true},
      {R"({"type":"string","enum":["a","b"]})", R"("b")", true},
      {R"({"type":"string","enum":["a","b"]})", R"("c")", false},
      {R"({"type":"string","format":"date-time"})", R"("2026-11-16T01:02:03Z")", true},
      {R"({"type":"string","format":"date-time"})", R"("yesterday")", false},
      {R"({"type":"array","items":{"type":"string"},"minItems":1,"maxItems":2})", R"(["a"])", true},
      {R"({"type":"array","items":{"type":"string"},"minItems":1,"maxItems":2})", "[]", false},
      {R"({"type":"array","items":{"type":"string"},"maxItems":2})", R"(["a","b","c"])", false},
      {R"({"type":"array","items":{"type":"string"}})", R"(["a",1])", false},
      {R"({"type":"object","additionalProperties":{"type":"integer"}})", R"({"x":1})", true},
      {R"({"type":"object","additionalProperties":{"type":"integer"}})", R"({"x":"1"})", false},
      {R"({"type":"object","required":["a"]})", R"({"a":1})", true},
      {R"({"type":"object","required":["a"]})", R"({})", false},
      {R"({"x-kubernetes-int-or-string":true})", "80", true},
      {R"({"x-kubernetes-int-or-string":true})", R"("25%")", true},
      {R"({"x-kubernetes-int-or-string":true})", "1.5", false},
      {R"({"x-kubernetes-int-or-string":true})", "{}", false},
      {R"({"x-kubernetes-preserve-unknown-fields":true})", R"([{"any":"thing"}])", true},
      {R"({"type":"string","format":"quantity"})", R"("2Gi")", true},
      {R"({"type":"string","format":"quantity"})", "2", true},
      {R"({"type":"string","format":"quantity"})", R"("2 Gi")", false},
      {R"({"type":"string","format":"quantity"})", "{}", false},
  };
  for (const Case& one : cases) {
    const auto schema =
        compile(R"({"type":"object","properties":{"v":)" + std::string(one.schema) + "}}");
    const Json value{{"v", read(one.value)}};
    EXPECT_EQ(schema->validate(value).empty(), one.valid) << one.schema << " of " << one.value;
  }
}

TEST(ValidateSchema, ReportsEveryProblemWithThePathOfItsField) {
  const auto schema = compile(R"({"type":"object","required":["kind"],"properties":{"spec":{
    "type":"object","required":["image"],"properties":{
      "n":{"type":"integer","minimum":0},
      "mode":{"type":"string","enum":["a"]},
      "labels":{"type":"object","additionalProperties":{"type":"string"}},
      "list":{"type":"array","maxItems":2,"items":{"type":"object","required":["x"]}}}}}})");
  EXPECT_EQ(problems(*schema, R"({"spec":{"n":-1,"mode":"b","labels":{"a.b/c":1,"d":2},
                                  "list":[{},{"x":1},{}]}})"),
            (std::vector<std::string>{
                "spec.n: FieldValueInvalid", "spec.mode: FieldValueNotSupported",
                "spec.labels.a.b/c: FieldValueTypeInvalid", "spec.labels.d: FieldValueTypeInvalid",
                "spec.list[0].x: FieldValueRequired", "spec.list[2].x: FieldValueRequired",
                "spec.list: FieldValueTooMany", "spec.image: FieldValueRequired",
                "kind: FieldValueRequired"}));
}

TEST(ValidateSchema, RefusesElementsWithTheSameMapKeys) {
  const auto schema = compile(R"({"type":"array","x-kubernetes-list-type":"map",
    "x-kubernetes-list-map-keys":["port","protocol"],"items":{"type":"object"}})");
  EXPECT_TRUE(
      problems(*schema, R"([{"port":1,"protocol":"TCP"},{"port":1,"protocol":"UDP"}])").empty());
  EXPECT_EQ(problems(*schema, R"([{"port":1},{"port":2},{"port":1,"x":2}])"),
            (std::vector<std::string>{"[2]: FieldValueDuplicate"}));
}

TEST(ValidateSchema, SurvivesLongTextAgainstAPattern) {
  const auto schema = compile(R"({"type":"string","pattern":"^([a-z]|[0-9])*$"})");
  EXPECT_TRUE(schema->validate(Json(std::string(10'000'000, 'a'))).empty());
}

TEST(ApplyDefaults, FillsInWhatIsMissingButNotWhatIsGiven) {
  const auto schema = compile(R"({"type":"object","properties":{
    "a":{"type":"integer","default":1},
    "o":{"type":"object","default":{},"properties":{"b":{"type":"string","default":"x"}}},
    "p":{"type":"object","properties":{"c":{"type":"boolean","default":false}}},
    "l":{"type":"array","items":{"type":"object","properties":{"d":{"type":"integer","default":4}}}},
    "m":{"type":"object","additionalProperties":{"type":"object",
         "properties":{"e":{"type":"integer","default":5}}}}}})");
  Json value = read(R"({})");
  schema->apply_defaults(value);
  EXPECT_EQ(to_text(value), R"({"a":1,"o":{"b":"x"}})");
  value = read(R"({"a":0,"o":{"b":""},"p":{},"l":[{},{"d":1},7],"m":{"k":{}}})");
  schema->apply_defaults(value);
  EXPECT_EQ(to_text(value),
            R"({"a":0,"o":{"b":""},"p":{"c":false},"l":[{"d":4},{"d":1},7],"m":{"k":{"e":5}}})");
  value = read(R"("not an object")");
  schema->apply_defaults(value);
  EXPECT_EQ(to_text(value), R"("not an object")");
}

// The example of Kubernetes' documentation of defaulting and nullable.
TEST(ApplyDefaults, DropsNullsThatAreNotAllowedOrReplacesThemByTheDefault) {
  const auto schema = compile(R"({"type":"object","properties":{"spec":{"type":"object",
    "properties":{"foo":{"type":"string","nullable":false,"default":"default"},
      "bar":{"type":"string","nullable":true},"baz":{"type":"string"},"last":{"type":"string"},
      "map":{"type":"object","additionalProperties":{"type":"string"}}}}}})");
  Json value = read(
      R"({"spec":{"foo":null,"bar":null,"baz":null,"last":"x","map":{"a":null,"b":"c"},"new":null}})");
  schema->apply_defaults(value);
  EXPECT_EQ(to_text(value),
            R"({"spec":{"foo":"default","bar":null,"last":"x","map":{"b":"c"},"new":null}})");
}

TEST(Prune, RemovesUnknownFieldsAndNamesThem) {
  const auto schema = compile(R"({"type":"object","properties":{
    "a":{"type":"integer"},"o":{"type":"object","properties":{"b":{"type":"string"}}},
    "l":{"type":"array","items":{"type":"object","properties":{"c":{"type":"string"}}}},
    "m":{"type":"object","additionalProperties":{"type":"object","properties":{"d":{"type":"string"}}}},
    "free":{"type":"object","x-kubernetes-preserve-unknown-fields":true,
            "properties":{"e":{"type":"object","properties":{"f":{"type":"string"}}}}},
    "any":{"type":"object","additionalProperties":true},
    "pod":{"type":"object","x-kubernetes-embedded-resource":true,"properties":{}}}})");
  Json value = read(R"({"x":0,"a":1,"o":{"b":"","y":1},"l":[{"c":"","z":1},{"z.w":2}],
    "m":{"k":{"d":"","q":1}},"free":{"u":{"v":1},"e":{"f":"","g":1}},"any":{"t":{"s":1}},
    "pod":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{}},"w":[]})");
  const auto removed = schema->prune(value);
  EXPECT_EQ(to_text(value), R"({"a":1,"o":{"b":""},"l":[{"c":""},{}],"m":{"k":{"d":""}},)"
                            R"("free":{"u":{"v":1},"e":{"f":""}},"any":{"t":{"s":1}},)"
                            R"("pod":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"}}})");
  EXPECT_EQ(removed, (std::vector<std::string>{"free.e.g", "l[0].z", "l[1].z.w", "m.k.q", "o.y",
                                               "pod.spec", "w", "x"}));
}

TEST(Prune, KeepsUnknownFieldsWhereTheSchemaSaysSoButKnownOnesFollowTheirOwn) {
  const auto schema = compile(R"({"type":"object","x-kubernetes-preserve-unknown-fields":true,
    "properties":{"known":{"type":"object","properties":{"a":{"type":"string"}}},
      "list":{"type":"array","x-kubernetes-preserve-unknown-fields":true,
        "items":{"type":"object","properties":{"b":{"type":"object"}}}},
      "port":{"x-kubernetes-int-or-string":true},"none":{"type":"object",
        "additionalProperties":false}}})");
  EXPECT_TRUE(schema->keeps_unknown());
  Json value = read(R"({"x":{"y":1},"known":{"a":"","z":1},"list":[{"c":1,"b":{"d":1}}],
                        "port":{"e":1},"none":{"f":1}})");
  EXPECT_EQ(schema->prune(value), (std::vector<std::string>{"known.z", "list[0].b.d", "port.e"}));
  EXPECT_EQ(to_text(value), R"({"x":{"y":1},"known":{"a":""},"list":[{"c":1,"b":{}}],"port":{},)"
                            R"("none":{"f":1}})");
}

TEST(ApplyDefaults, ReplacesNullsInMapsAndListsByTheirDefault) {
  const auto schema = compile(R"({"type":"object","properties":{
    "map":{"type":"object","additionalProperties":{"type":"integer","default":1}},
    "list":{"type":"array","items":{"type":"integer","default":2}},
    "plain":{"type":"array","items":{"type":"integer"}},
    "none":{"type":"integer","default":null}}})");
  Json value = read(R"({"map":{"a":null,"b":5},"list":[null,6],"plain":[null],"none":null})");
  schema->apply_defaults(value);
  EXPECT_EQ(to_text(value), R"({"map":{"a":1,"b":5},"list":[2,6],"plain":[null]})");
}

TEST(CompileSchema, TakesSharedTypesAndLetsTheirUserAddToThem) {
  const Shared shared{{"Meta", compile(R"({"type":"object","description":"old",
    "properties":{"name":{"type":"string"}}})")}};
  const auto schema = compile(R"({"type":"object","properties":{"metadata":{
    "x-trainyard-type":"Meta","description":"new","required":["name"]}}})",
                              shared);
  EXPECT_EQ(schema->property("metadata")->description(), "new");
  EXPECT_EQ(problems(*schema, R"({"metadata":{}})"),
            (std::vector<std::string>{"metadata.name: FieldValueRequired"}));
  EXPECT_FALSE(problems(*schema, R"({"metadata":{"name":1}})").empty());
}

TEST(CompileSchema, RefusesSchemasThatAreWrong) {
  for (const char* text :
       {R"({"type":"text"})", R"({"type":"string","pattern":"("})",
        R"({"type":"object","properties":{"a":{"type":"no"}}})",
        R"({"x-trainyard-type":"Nowhere"})", R"({"type":"array","items":{"type":"?"}})",
        R"({"type":"object","required":[1]})",
        R"({"type":"object","additionalProperties":{"type":"?"}})",
        R"({"type":"array","x-kubernetes-list-map-keys":[{}]})"}) {
    EXPECT_TRUE(Schema::compile(read(text), {}).failed_with(Code::kInternal)) << text;
  }
}

TEST(CompileSchema, KnowsHowListsMerge) {
  const auto schema = compile(R"({"type":"object","properties":{
    "keyed":{"type":"array","x-kubernetes-patch-merge-key":"name","items":{"type":"object"}},
    "mapped":{"type":"array","x-kubernetes-list-map-keys":["port","protocol"]},
    "plain":{"type":"array","x-kubernetes-patch-strategy":"merge"},"atomic":{"type":"array"}}})");
  EXPECT_EQ(schema->property("keyed")->merge_key(), "name");
  EXPECT_EQ(schema->property("mapped")->merge_key(), "port");
  EXPECT_TRUE(schema->property("plain")->merges_values());
  EXPECT_EQ(schema->property("atomic")->merge_key(), "");
  EXPECT_FALSE(schema->property("atomic")->merges_values());
  EXPECT_NE(schema->property("keyed")->items(), nullptr);
  EXPECT_EQ(schema->property("missing"), nullptr);
}

TEST(CompileSchema, KnowsWhoseListsAndMapsHaveSeveralOwners) {
  using ListType = Schema::ListType;
  using Keys = std::vector<std::string>;
  const auto schema = compile(R"({"type":"object","x-kubernetes-map-type":"granular","properties":{
    "keyed":{"type":"array","x-kubernetes-patch-merge-key":"name","items":{"type":"object"}},
    "mapped":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-patch-merge-key":"port",
              "x-kubernetes-list-map-keys":["port","protocol"],"items":{"type":"object"}},
    "set":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}},
    "merged":{"type":"array","x-kubernetes-patch-strategy":"merge","items":{"type":"string"}},
    "objects":{"type":"array","x-kubernetes-patch-strategy":"merge","items":{"type":"object"}},
    "plain":{"type":"array","items":{"type":"string"}},
    "atomic":{"type":"array","x-kubernetes-list-type":"atomic","x-kubernetes-patch-merge-key":"a"},
    "map":{"type":"object","x-kubernetes-map-type":"atomic"}}})");
  EXPECT_EQ(schema->property("keyed")->list_type(), ListType::kMap);
  EXPECT_EQ(schema->property("keyed")->map_keys(), Keys{"name"});
  EXPECT_EQ(schema->property("mapped")->map_keys(), (Keys{"port", "protocol"}));
  EXPECT_EQ(schema->property("mapped")->merge_key(), "port");
  EXPECT_EQ(schema->property("set")->list_type(), ListType::kSet);
  EXPECT_EQ(schema->property("merged")->list_type(), ListType::kSet);
  EXPECT_EQ(schema->property("objects")->list_type(), ListType::kAtomic);
  EXPECT_EQ(schema->property("plain")->list_type(), ListType::kAtomic);
  EXPECT_EQ(schema->property("atomic")->list_type(), ListType::kAtomic);
  EXPECT_EQ(schema->property("atomic")->merge_key(), "a");
  EXPECT_TRUE(schema->property("map")->atomic_map());
  EXPECT_FALSE(schema->atomic_map());
  EXPECT_FALSE(schema->keeps_unknown());
}

TEST(CompileSchema, FindsRulesThatAreNotEvaluatedHoweverDeep) {
  const char* rules = R"("x-kubernetes-validations":[{"rule":"self > 0"}])";
  for (const std::string& where :
       {std::string(R"({"type":"object",)") + rules + "}",
        std::string(R"({"type":"object","properties":{"a":{"type":"integer",)") + rules + "}}}",
        std::string(R"({"type":"array","items":{"type":"integer",)") + rules + "}}",
        std::string(R"({"type":"object","additionalProperties":{"type":"integer",)") + rules +
            "}}"}) {
    EXPECT_TRUE(compile(where)->has_unevaluated_rules()) << where;
  }
  EXPECT_FALSE(compile(R"({"type":"object"})")->has_unevaluated_rules());
}

TEST(Prune, TakesOneLookHoweverManyFieldsAreUnknown) {
  // One by one, moving up what follows, this took minutes, and nobody else was served meanwhile.
  JsonObject many;
  for (int i = 0; i < 200'000; ++i) many[std::to_string(i)] = 0;
  many["known"] = 1;
  Json value = std::move(many);
  const auto schema =
      Schema::compile({{"type", "object"}, {"properties", {{"known", {{"type", "integer"}}}}}}, {});
  ASSERT_TRUE(schema);
  EXPECT_EQ((*schema)->prune(value).size(), 200'000U);
  EXPECT_EQ(to_text(value), R"({"known":1})");
}

}  // namespace
}  // namespace trainyard
