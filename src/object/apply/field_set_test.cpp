#include "object/apply/field_set.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace trainyard {
namespace {

Json read(std::string_view text) {
  return *parse_json(text);
}

FieldSet set_of(std::string_view fields_v1) {
  auto set = FieldSet::parse(read(fields_v1));
  EXPECT_TRUE(set) << fields_v1;
  return set ? *std::move(set) : FieldSet();
}

std::string text_of(const FieldSet& set) {
  return to_text(set.to_json());
}

TEST(PathElement, IsWrittenAsItWasRead) {
  for (const char* text : {R"(f:spec)",
                           R"(f:)",
                           R"(f:app.kubernetes.io/name)",
                           R"(f:f:a)",
                           R"(k:{"name":"main"})",
                           R"(k:{"containerPort":80,"protocol":"TCP"})",
                           R"(k:{"a":true,"b":false})",
                           R"(k:{"a":null,"b":[1],"c":{"d":"e"}})",
                           R"(k:{})",
                           R"(v:"a")",
                           R"(v:1)",
                           R"(v:-1)",
                           R"(v:1.5)",
                           R"(v:true)",
                           R"(v:"a\u0000b")",
                           R"(v:"")",
                           R"(v:9223372036854775807)",
                           R"(v:-9223372036854775808)",
                           R"(v:1e+21)",
                           R"(i:0)",
                           R"(i:12)",
                           R"(k:{"a\"b":"c\\d"})"}) {
    const auto element = PathElement::parse(text);
    ASSERT_TRUE(element) << text;
    EXPECT_EQ(element->to_text(), text);
  }
}

TEST(PathElement, WritesKeysInTheOrderOfTheirNames) {
  EXPECT_EQ(PathElement::parse(R"(k:{"protocol":"TCP","containerPort":80})")->to_text(),
            R"(k:{"containerPort":80,"protocol":"TCP"})");
  const Json port = 80;
  const Json protocol = "UDP";
  EXPECT_EQ(PathElement::key({{"protocol", &protocol}, {"port", &port}}).to_text(),
            R"(k:{"port":80,"protocol":"UDP"})");
}

TEST(PathElement, TakesNumbersOfOneSizeForTheSame) {
  EXPECT_EQ(*PathElement::parse("v:1.0"), *PathElement::parse("v:1"));
  EXPECT_EQ(*PathElement::parse("v:-0.0"), *PathElement::parse("v:0"));
  EXPECT_EQ(PathElement::value(Json(std::uint64_t{7})), PathElement::value(Json(7)));
  EXPECT_EQ(PathElement::parse("v:1.0")->to_text(), "v:1");
  EXPECT_NE(*PathElement::parse(R"(v:"1")"), *PathElement::parse("v:1"));
  EXPECT_NE(*PathElement::parse("v:9223372036854775807"),
            *PathElement::parse("v:9223372036854775806"));
}

TEST(PathElement, SortsAsKubernetesDoes) {
  const std::vector<const char*> sorted = {"f:a",
                                           "f:aa",
                                           "f:b",
                                           R"(k:{"a":1})",
                                           R"(k:{"a":1,"b":1})",
                                           R"(k:{"b":9})",
                                           R"(k:{"b":10})",
                                           R"(k:{"b":"0"})",
                                           "v:-2",
                                           "v:-1.5",
                                           "v:0",
                                           "v:2",
                                           "v:2.5",
                                           "v:10",
                                           R"(v:"")",
                                           R"(v:"10")",
                                           R"(v:"2")",
                                           "v:false",
                                           "v:true",
                                           "i:2",
                                           "i:10"};
  for (std::size_t i = 0; i + 1 < sorted.size(); ++i) {
    EXPECT_LT(*PathElement::parse(sorted[i]), *PathElement::parse(sorted[i + 1]))
        << sorted[i] << " before " << sorted[i + 1];
  }
}

TEST(PathElement, IsShownToPeopleAsKubernetesShowsIt) {
  const char* const cases[][2] = {
      {"f:replicas", ".replicas"},
      {R"(k:{"name":"main"})", R"([name="main"])"},
      {R"(k:{"port":80,"protocol":"TCP"})", R"([port=80,protocol="TCP"])"},
      {R"(v:"a")", R"([="a"])"},
      {"v:1", "[=1]"},
      {"i:3", "[3]"}};
  for (const auto& one : cases) EXPECT_EQ(PathElement::parse(one[0])->shown(), one[1]);
}

TEST(PathElement, RefusesWhatIsNoStep) {
  for (const char* text : {"", "f", "name", R"(k:name)", R"(k:["a"])", "v:", "v:{", "i:", "i:x"}) {
    EXPECT_TRUE(PathElement::parse(text).failed_with(Code::kInvalid)) << text;
  }
  EXPECT_TRUE(PathElement::parse("x:new").failed_with(Code::kUnsupported));
}

TEST(FieldSet, IsWrittenAsItWasRead) {
  for (const char* text :
       {R"({})", R"({"f:a":{}})", R"({"f:a":{"f:b":{}}})", R"({"f:a":{".":{},"f:b":{}}})",
        R"({"f:metadata":{"f:labels":{".":{},"f:app":{}}},"f:spec":{"f:containers":{)"
        R"("k:{\"name\":\"main\"}":{".":{},"f:image":{},"f:name":{}}},"f:replicas":{}}})",
        R"({"f:finalizers":{".":{},"v:\"a\"":{},"v:\"b\"":{}}})"}) {
    EXPECT_EQ(text_of(set_of(text)), text);
  }
}

TEST(FieldSet, ReadsOneFormOfEachSet) {
  EXPECT_EQ(text_of(set_of(R"({"f:b":{},"f:a":{".":{}}})")), R"({"f:a":{},"f:b":{}})");
  EXPECT_EQ(set_of(R"({"v:1":{},"v:1.0":{}})"), set_of(R"({"v:1":{}})"));
  // Sorts that nobody knows yet are skipped, and so is what nobody can own: the whole object.
  EXPECT_EQ(text_of(set_of(R"({".":{},"x:y":{"f:a":{}},"f:b":{"x:z":{}}})")), R"({"f:b":{}})");
}

TEST(FieldSet, RefusesWhatIsNoSet) {
  for (const char* text : {"[]", "null", R"({"f:a":1})", R"({"f:a":{"b":{}}})", R"({"k:x":{}})"}) {
    EXPECT_TRUE(FieldSet::parse(read(text)).failed_with(Code::kInvalid)) << text;
  }
}

TEST(FieldSet, KnowsItsPaths) {
  const FieldSet set = set_of(R"({"f:spec":{"f:containers":{"k:{\"name\":\"a\"}":{".":{},
    "f:image":{}}},"f:replicas":{}},"f:kind":{}})");
  const auto spec = PathElement::field("spec");
  EXPECT_TRUE(set.contains({spec, PathElement::field("replicas")}));
  EXPECT_TRUE(set.contains(
      {spec, PathElement::field("containers"), *PathElement::parse(R"(k:{"name":"a"})")}));
  EXPECT_FALSE(set.contains({spec}));
  EXPECT_FALSE(set.contains({}));
  EXPECT_FALSE(set.contains({spec, PathElement::field("replicas"), PathElement::field("x")}));
  EXPECT_EQ(set.paths(),
            (std::vector<std::string>{".kind", ".spec.replicas", R"(.spec.containers[name="a"])",
                                      R"(.spec.containers[name="a"].image)"}));
}

TEST(FieldSet, InsertsPaths) {
  FieldSet set;
  set.insert({PathElement::field("b"), PathElement::field("c")});
  set.insert({PathElement::field("a")});
  set.insert({PathElement::field("b")});
  set.insert({PathElement::field("b"), PathElement::field("c")});
  set.insert({});
  EXPECT_EQ(text_of(set), R"({"f:a":{},"f:b":{".":{},"f:c":{}}})");
}

struct Operation {
  const char* a;
  const char* b;
  const char* both;    // in one or the other
  const char* left;    // in a only
  const char* common;  // in a and b
};

TEST(FieldSet, AddsRemovesAndIntersects) {
  const Operation cases[] = {
      {"{}", "{}", "{}", "{}", "{}"},
      {R"({"f:a":{}})", "{}", R"({"f:a":{}})", R"({"f:a":{}})", "{}"},
      {"{}", R"({"f:a":{}})", R"({"f:a":{}})", "{}", "{}"},
      {R"({"f:a":{}})", R"({"f:a":{}})", R"({"f:a":{}})", "{}", R"({"f:a":{}})"},
      {R"({"f:a":{},"f:c":{}})", R"({"f:b":{},"f:d":{}})",
       R"({"f:a":{},"f:b":{},"f:c":{},"f:d":{}})", R"({"f:a":{},"f:c":{}})", "{}"},
      // a field and what is below it are apart
      {R"({"f:a":{}})", R"({"f:a":{"f:b":{}}})", R"({"f:a":{".":{},"f:b":{}}})", R"({"f:a":{}})",
       "{}"},
      {R"({"f:a":{"f:b":{}}})", R"({"f:a":{}})", R"({"f:a":{".":{},"f:b":{}}})",
       R"({"f:a":{"f:b":{}}})", "{}"},
      {R"({"f:a":{".":{},"f:b":{},"f:c":{}}})", R"({"f:a":{".":{},"f:c":{},"f:d":{}}})",
       R"({"f:a":{".":{},"f:b":{},"f:c":{},"f:d":{}}})", R"({"f:a":{"f:b":{}}})",
       R"({"f:a":{".":{},"f:c":{}}})"},
      {R"({"f:a":{"f:b":{"f:c":{}}}})", R"({"f:a":{"f:b":{"f:c":{}}}})",
       R"({"f:a":{"f:b":{"f:c":{}}}})", "{}", R"({"f:a":{"f:b":{"f:c":{}}}})"},
  };
  for (const Operation& one : cases) {
    FieldSet both = set_of(one.a);
    both.add(set_of(one.b));
    EXPECT_EQ(text_of(both), one.both) << one.a << " and " << one.b;
    FieldSet left = set_of(one.a);
    left.remove(set_of(one.b));
    EXPECT_EQ(text_of(left), one.left) << one.a << " and " << one.b;
    EXPECT_EQ(text_of(set_of(one.a).common_with(set_of(one.b))), one.common)
        << one.a << " and " << one.b;
    EXPECT_TRUE(set_of(one.a).is_within(both));
    EXPECT_TRUE(set_of(one.b).is_within(both));
    EXPECT_EQ(set_of(one.a).is_within(set_of(one.b)), left.empty()) << one.a << " and " << one.b;
  }
}

TEST(FieldSet, KeepsTheLawsOfSetsForManySets) {
  // Every set of up to four of these paths, against every other.
  const FieldSet::Path paths[] = {
      {PathElement::field("a")},
      {PathElement::field("a"), PathElement::field("b")},
      {PathElement::field("a"), *PathElement::parse(R"(k:{"n":1})"), PathElement::field("c")},
      {*PathElement::parse("v:1")}};
  std::vector<FieldSet> sets(16);
  for (unsigned bits = 0; bits < 16; ++bits) {
    for (unsigned i = 0; i < 4; ++i) {
      if ((bits >> i & 1) != 0) sets[bits].insert(paths[i]);
    }
  }
  for (unsigned a = 0; a < 16; ++a) {
    EXPECT_EQ(set_of(text_of(sets[a])), sets[a]);
    for (unsigned b = 0; b < 16; ++b) {
      FieldSet both = sets[a];
      both.add(sets[b]);
      EXPECT_EQ(both, sets[a | b]);
      FieldSet left = sets[a];
      left.remove(sets[b]);
      EXPECT_EQ(left, sets[a & ~b]);
      EXPECT_EQ(sets[a].common_with(sets[b]), sets[a & b]);
      EXPECT_EQ(sets[a].is_within(sets[b]), (a & ~b) == 0);
      EXPECT_EQ(sets[a] == sets[b], a == b);
    }
  }
}

}  // namespace
}  // namespace trainyard
