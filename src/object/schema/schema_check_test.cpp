#include "object/schema/schema.h"

#include <gtest/gtest.h>

#include <span>

namespace trainyard {
namespace {

Json read(std::string_view text) {
  return *parse_json(text);
}

/// "field: message" of each problem with {"v": value}, where the schema is that of v.
std::vector<std::string> problems(std::string_view schema, std::string_view value) {
  auto compiled = Schema::compile({{"type", "object"}, {"properties", {{"v", read(schema)}}}}, {});
  EXPECT_TRUE(compiled) << schema;
  std::vector<std::string> found;
  for (const FieldError& error : (*compiled)->validate({{"v", read(value)}})) {
    found.push_back(error.field + ": " + error.message);
  }
  return found;
}

using Found = std::vector<std::string>;

struct Case {
  const char* schema;
  const char* value;
  const char* problem;  // the only one, or nothing
};

void expect_all(std::span<const Case> cases) {
  for (const Case& one : cases) {
    const Found found = problems(one.schema, one.value);
    EXPECT_EQ(found, one.problem == nullptr ? Found() : Found{one.problem})
        << one.schema << " of " << one.value;
  }
}

TEST(CheckTypes, AreWordedAsKubernetesDoes) {
  const Case cases[] = {
      {R"({"type":"integer"})", R"("x")",
       R"(v: Invalid value: "string": v in body must be of type integer: "string")"},
      {R"({"type":"string"})", "null",
       R"(v: Invalid value: "null": v in body must be of type string: "null")"},
      {R"({"type":"integer"})", "1.5",
       R"(v: Invalid value: "number": v in body must be of type integer: "number")"},
      {R"({"type":"integer"})", "18446744073709551615",
       R"(v: Invalid value: "number": v in body must be of type integer: "number")"},
      {R"({"x-kubernetes-int-or-string":true})", "[]",
       R"(v: Invalid value: "array": v in body must be of type integer,string: "array")"},
      {R"({"type":"string","format":"date"})", "5",
       R"(v: Invalid value: "int64": v in body must be of type date: "int64")"},
      {R"({"type":"string","format":"date"})", R"("5")",
       R"(v: Invalid value: "5": v in body must be of type date: "5")"},
      {R"({"type":"string","format":"made-up"})", R"("5")", nullptr},
      {R"({"type":"integer","format":"int32"})", "2147483648",
       R"(v: Invalid value: "2147483648": v in body must be of type int32: "2147483648")"},
      {R"({"type":"integer","format":"int64"})", "9223372036854775807", nullptr},
  };
  expect_all(cases);
}

TEST(CheckNumbers, HoldsBoundsExactly) {
  const Case cases[] = {
      {R"({"type":"integer","minimum":1})", "1", nullptr},
      {R"({"type":"integer","minimum":1})", "0",
       "v: Invalid value: 0: v in body should be greater than or equal to 1"},
      {R"({"type":"integer","minimum":1,"exclusiveMinimum":true})", "1",
       "v: Invalid value: 1: v in body should be greater than 1"},
      {R"({"type":"integer","maximum":3})", "4",
       "v: Invalid value: 4: v in body should be less than or equal to 3"},
      {R"({"type":"number","maximum":3,"exclusiveMaximum":true})", "3",
       "v: Invalid value: 3: v in body should be less than 3"},
      {R"({"type":"number","maximum":3,"exclusiveMaximum":true})", "2.5", nullptr},
      {R"({"type":"number","minimum":0.5})", "0",
       "v: Invalid value: 0: v in body should be greater than or equal to 0.5"},
      {R"({"type":"number","maximum":1000000})", "2000000.5",
       "v: Invalid value: 2.0000005e+06: v in body should be less than or equal to 1e+06"},
      {R"({"type":"integer","maximum":9007199254740991})", "9007199254740992",
       "v: Invalid value: 9007199254740992: v in body should be less than or equal to "
       "9007199254740991"},
      {R"({"type":"integer","multipleOf":3})", "9", nullptr},
      {R"({"type":"integer","multipleOf":3})", "-9", nullptr},
      {R"({"type":"integer","multipleOf":3})", "10",
       "v: Invalid value: 10: v in body should be a multiple of 3"},
      {R"({"type":"number","multipleOf":0.1})", "0.3", nullptr},
      {R"({"type":"number","multipleOf":0.1})", "0.35",
       "v: Invalid value: 0.35: v in body should be a multiple of 0.1"},
      {R"({"type":"number","multipleOf":0.5})", "3", nullptr},
  };
  expect_all(cases);
}

TEST(CheckTexts, TellsTheFirstProblemOfAText) {
  const Case cases[] = {
      {R"({"type":"string","maxLength":3,"pattern":"^b"})", R"("aaaa")",
       "v: Too long: may not be more than 3 bytes"},
      {R"({"type":"string","minLength":3,"pattern":"^b"})", R"("é")",
       R"(v: Invalid value: "é": v in body should be at least 3 chars long)"},
      {R"({"type":"string","pattern":"^a+$"})", R"("aab")",
       R"(v: Invalid value: "aab": v in body should match '^a+$')"},
      {R"({"type":"string","enum":["a","b"]})", R"("c")",
       R"(v: Unsupported value: "c": supported values: "a", "b")"},
      {R"({"enum":[1,{"a":2}],"x-kubernetes-preserve-unknown-fields":true})", "3",
       R"(v: Unsupported value: 3: supported values: "1", "{\"a\":2}")"},
      {R"({"enum":[1,{"a":2}],"x-kubernetes-preserve-unknown-fields":true})", R"({"a":2})",
       nullptr},
      {R"({"type":"number","enum":[1]})", "1.0", nullptr},
      {R"({"type":"string","enum":["a"],"nullable":true})", "null",
       R"(v: Unsupported value: "null": supported values: "a")"},
      {R"({"format":"quantity"})", R"("2Gi")", nullptr},
      {R"({"format":"quantity"})", "0.5", nullptr},
      {R"({"format":"quantity"})", "true",
       R"(v: Invalid value: "boolean": v in body must be of type string: "boolean")"},
  };
  expect_all(cases);
}

TEST(CheckLists, HoldsSizesAndRepetitions) {
  const Case cases[] = {
      {R"({"type":"array","minItems":2,"items":{"type":"integer"}})", "[1]",
       "v: Invalid value: 1: v in body should have at least 2 items"},
      {R"({"type":"array","maxItems":1,"items":{"type":"integer"}})", "[1,2]",
       "v: Too many: 2: must have at most 1 items"},
      {R"({"type":"array","uniqueItems":true,"items":{"type":"integer"}})", "[1,2,1]",
       R"(v: Invalid value: "": v in body shouldn't contain duplicates)"},
      {R"({"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}})",
       R"(["a","b","a","a"])", R"(v[2]: Duplicate value: "a")"},
      {R"({"type":"array","x-kubernetes-list-type":"set","items":{"type":"object",
           "x-kubernetes-preserve-unknown-fields":true,"x-kubernetes-map-type":"atomic"}})",
       R"([{"a":1,"b":2},{"b":2,"a":1}])", R"(v[1]: Duplicate value: {"b":2,"a":1})"},
      {R"({"type":"array","x-kubernetes-list-type":"atomic","items":{"type":"string"}})",
       R"(["a","a"])", nullptr},
  };
  expect_all(cases);
}

TEST(CheckLists, TellsElementsOfMapsApartByTheirKeys) {
  const char* schema = R"({"type":"array","x-kubernetes-list-type":"map",
    "x-kubernetes-list-map-keys":["port","protocol"],"items":{"type":"object","properties":{
      "port":{"type":"integer"},"protocol":{"type":"string"}}}})";
  EXPECT_EQ(problems(schema, R"([{"port":1},{"port":1,"protocol":"UDP"},{"port":2}])"), Found());
  EXPECT_EQ(problems(schema, R"([{"port":1},{"port":1,"x":2},{"port":1}])"),
            Found{R"(v[1]: Duplicate value: {"port":1})"});
  EXPECT_EQ(problems(schema, R"([{},5])"),
            (Found{R"(v[1]: Invalid value: "integer": v[1] in body must be of type object: )"
                   R"("integer")",
                   "v[1]: Invalid value: 5: must be an object for an array of list-type map"}));
}

TEST(CheckLists, FindsRepetitionsInLongListsQuickly) {
  JsonArray ports;
  for (int i = 0; i < 100'000; ++i) ports.push_back({{"port", i}, {"name", "x"}});
  ports.push_back({{"port", 5}});
  const auto schema = *Schema::compile(read(R"({"type":"array","x-kubernetes-list-type":"map",
    "x-kubernetes-list-map-keys":["port"],"items":{"type":"object"}})"),
                                       {});
  const auto errors = schema->validate(ports);
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(errors[0].field, "[100000]");
}

TEST(CheckObjects, HoldsSizesAndForbiddenProperties) {
  const Case cases[] = {
      {R"({"type":"object","minProperties":1})", "{}",
       "v: Invalid value: 0: v in body should have at least 1 properties"},
      {R"({"type":"object","maxProperties":1})", R"({"a":1,"b":2})",
       "v: Too many: 2: must have at most 1 items"},
      {R"({"type":"object","additionalProperties":false})", R"({"a":1})",
       R"(v: Invalid value: "a": v.a in body is a forbidden property)"},
      {R"({"type":"object","required":["a"]})", R"({"b":1})", "v.a: Required value"},
      {R"({"type":"object","additionalProperties":{"type":"string"}})", R"({"a.b/c":1})",
       R"(v.a.b/c: Invalid value: "integer": v.a.b/c in body must be of type string: "integer")"},
  };
  expect_all(cases);
  EXPECT_EQ(problems(R"({"type":"object","additionalProperties":{"type":"array",
                         "x-kubernetes-list-type":"set","items":{"type":"integer"}}})",
                     R"({"a.b/c":[1,1]})"),
            Found{"v[a.b/c][1]: Duplicate value: 1"});
}

TEST(CheckCombinations, NeedOneOfSeveralAlternatives) {
  const char* schema = R"({"type":"object","properties":{"a":{"type":"string"},
    "b":{"type":"integer"}},"oneOf":[{"required":["a"]},{"required":["b"]}]})";
  EXPECT_EQ(problems(schema, R"({"a":"x"})"), Found());
  EXPECT_EQ(problems(schema, "{}"),
            (Found{R"(<nil>: Invalid value: "": "v" must validate one and only one schema )"
                   "(oneOf). Found none valid",
                   "v.a: Required value"}));
  EXPECT_EQ(problems(schema, R"({"a":"x","b":1})"),
            Found{R"(<nil>: Invalid value: "": "v" must validate one and only one schema )"
                  "(oneOf). Found 2 valid alternatives"});
}

TEST(CheckCombinations, NeedAnyOfSeveralAlternatives) {
  const char* schema = R"({"x-kubernetes-int-or-string":true,
    "anyOf":[{"type":"integer"},{"type":"string"}],"pattern":"^[0-9]+%$"})";
  EXPECT_EQ(problems(schema, "5"), Found()) << "patterns are for texts";
  EXPECT_EQ(problems(schema, R"("5%")"), Found());
  EXPECT_EQ(problems(schema, R"("5")"),
            Found{R"(v: Invalid value: "5": v in body should match '^[0-9]+%$')"});
  EXPECT_EQ(problems(R"({"type":"string","anyOf":[{"minLength":3},{"pattern":"^b"}]})", R"("c")"),
            (Found{R"(<nil>: Invalid value: "": "v" must validate at least one schema (anyOf))",
                   R"(v: Invalid value: "c": v in body should be at least 3 chars long)"}));
}

TEST(CheckCombinations, NeedAllAndNoneOfAlternatives) {
  const char* all = R"({"type":"integer","allOf":[{"minimum":2},{"maximum":4},{"multipleOf":2}]})";
  EXPECT_EQ(problems(all, "4"), Found());
  EXPECT_EQ(problems(all, "5"),
            (Found{"v: Invalid value: 5: v in body should be less than or equal to 4",
                   "v: Invalid value: 5: v in body should be a multiple of 2",
                   R"(<nil>: Invalid value: "": "v" must validate all the schemas (allOf))"}));
  EXPECT_EQ(problems(R"({"type":"integer","allOf":[{"minimum":2}]})", "1").back(),
            R"(<nil>: Invalid value: "": "v" must validate all the schemas (allOf). None )"
            "validated");
  EXPECT_EQ(problems(R"({"type":"string","not":{"enum":["root"]}})", R"("ann")"), Found());
  EXPECT_EQ(problems(R"({"type":"string","not":{"enum":["root"]}})", R"("root")"),
            Found{R"(<nil>: Invalid value: "": "v" must not validate the schema (not))"});
}

TEST(CheckCombinations, TellTheProblemsOfTheAlternativeThatCameFurthest) {
  const char* schema = R"({"type":"object","properties":{"kind":{"type":"string"},
      "a":{"type":"integer"},"b":{"type":"integer"}},
    "anyOf":[{"properties":{"kind":{"enum":["x"]}},"required":["kind"]},
             {"properties":{"kind":{"enum":["y"]},"a":{"maximum":1},"b":{"maximum":1}}}]})";
  EXPECT_EQ(problems(schema, R"({"kind":"y","a":1,"b":2})").back(),
            "v.b: Invalid value: 2: v.b in body should be less than or equal to 1");
}

TEST(CheckEmbedded, NeedsTypeAndGoodMetadata) {
  const char* schema = R"({"type":"object","x-kubernetes-embedded-resource":true,
    "x-kubernetes-preserve-unknown-fields":true})";
  EXPECT_EQ(problems(schema, R"({"apiVersion":"v1","kind":"Pod"})"), Found());
  EXPECT_EQ(problems(schema, "{}"), (Found{"v.apiVersion: Required value: must not be empty",
                                           "v.kind: Required value: must not be empty"}));
  EXPECT_EQ(problems(schema, R"({"apiVersion":"a/b/c","kind":""})"),
            (Found{R"(v.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c)",
                   R"(v.kind: Invalid value: "": must not be empty)"}));
  const Found found = problems(schema, R"({"apiVersion":"v1","kind":"Pod",
    "metadata":{"name":"a/b","namespace":"A","labels":{"a":"-"}}})");
  ASSERT_EQ(found.size(), 3U);
  EXPECT_TRUE(found[0].starts_with(R"(v.metadata.labels: Invalid value: "-": a valid label )"));
  EXPECT_EQ(found[1], R"(v.metadata.name: Invalid value: "a/b": may not contain '/')");
  EXPECT_TRUE(found[2].starts_with(R"(v.metadata.namespace: Invalid value: "A": )"));
}

TEST(Validate, CallsTheObjectItselfNil) {
  const auto schema = *Schema::compile(read(R"({"type":"object","minProperties":1})"), {});
  EXPECT_EQ(schema->validate(JsonObject())[0].field, "<nil>");
}

TEST(SchemaCheck, TellsAThousandProblemsAndNoMore) {
  JsonObject members;
  for (int i = 0; i < 100'000; ++i) members[std::to_string(i)] = i;
  const auto schema =
      *Schema::compile(read(R"({"type":"object","additionalProperties":{"type":"string"}})"), {});
  const std::vector<FieldError> errors = schema->validate(members);
  ASSERT_EQ(errors.size(), 1000U);
  EXPECT_EQ(errors.front().field, "0");
  EXPECT_EQ(errors.back().field, "999");
}

}  // namespace
}  // namespace trainyard
