#include "object/values/selector.h"

#include <gtest/gtest.h>

namespace trainyard {
namespace {

Json with_labels(std::string_view labels) {
  return Json{{"metadata", {{"name", "p"}, {"labels", *parse_json(labels)}}}};
}

struct Case {
  const char* selector;
  const char* labels;
  bool matches;
};

TEST(LabelSelector, MatchesAsKubernetesDoes) {
  const Case cases[] = {
      {"", "{}", true},
      {" ", "{\"a\":\"b\"}", true},
      {"app=a", "{\"app\":\"a\"}", true},
      {"app==a", "{\"app\":\"a\"}", true},
      {" app = a ", "{\"app\":\"a\"}", true},
      {"\tapp\t=\na", "{\"app\":\"a\"}", true},
      {"app=a", "{\"app\":\"b\"}", false},
      {"app=a", "{}", false},
      {"app=", "{\"app\":\"\"}", true},
      {"app=", "{}", false},
      {"app!=a", "{\"app\":\"b\"}", true},
      {"app!=a", "{\"app\":\"a\"}", false},
      {"app!=a", "{}", true},
      {"app", "{\"app\":\"\"}", true},
      {"app", "{}", false},
      {"!app", "{}", true},
      {"! app", "{}", true},
      {"!app", "{\"app\":\"x\"}", false},
      {"env in (x,y)", "{\"env\":\"y\"}", true},
      {"env in(x, y)", "{\"env\":\"y\"}", true},
      {"env  in  ( x )", "{\"env\":\"x\"}", true},
      {"env in (x,y)", "{\"env\":\"z\"}", false},
      {"env in (x,y)", "{}", false},
      {"env in ()", "{\"env\":\"\"}", true},
      {"env in (x,)", "{\"env\":\"\"}", true},
      {"env notin (x)", "{\"env\":\"y\"}", true},
      {"env notin(x)", "{\"env\":\"x\"}", false},
      {"env notin (x)", "{}", true},
      {"in in (in)", "{\"in\":\"in\"}", true},
      {"notin notin (in)", "{\"notin\":\"in\"}", false},
      {"min=1", "{\"min\":\"1\"}", true},
      {"x.io/a-b_c=1.2", "{\"x.io/a-b_c\":\"1.2\"}", true},
      {"a=1,b in (2,3),!c,d notin (4)", "{\"a\":\"1\",\"b\":\"3\"}", true},
      {"a=1,b in (2,3),!c", "{\"a\":\"1\",\"b\":\"3\",\"c\":\"\"}", false},
      {"a=1,a=2", "{\"a\":\"1\"}", false},
      {"rank>3", "{\"rank\":\"4\"}", true},
      {"rank>3", "{\"rank\":\"3\"}", false},
      {"rank > 3", "{\"rank\":\"10\"}", true},
      {"rank<3", "{\"rank\":\"2\"}", true},
      {"rank<3", "{}", false},
      {"rank>3", "{\"rank\":\"many\"}", false},
      {"rank>3,rank<5", "{\"rank\":\"4\"}", true},
      {"a in (,)", "{\"a\":\"\"}", true},
      {"a in (x,,y)", "{\"a\":\"\"}", true},
      {"a notin ()", "{\"a\":\"\"}", false},
  };
  for (const Case& one : cases) {
    const auto parsed = LabelSelector::parse(one.selector);
    ASSERT_TRUE(parsed) << one.selector << ": " << parsed.error().message();
    EXPECT_EQ(parsed->matches(with_labels(one.labels)), one.matches)
        << one.selector << " on " << one.labels;
  }
}

TEST(LabelSelector, RefusesWhatKubernetesRefuses) {
  for (const char* text :
       {",",        "a,",         ",a",         "a,,b",    "=a",        "!=a",        "!",
        "!!a",      "!a=b",       "a b",        "a=b c",   "a=b=c",     "a===b",      "a!==b",
        "a in",     "a in x",     "a in (x",    "a in x)", "a in (x))", "a in ((x))", "in (x)",
        "a notin",  "a in (x) y", "a in (x=y)", "a=(x)",   "(a)",       "a)",         "a=b;c",
        "-a=b",     "a-=b",       "a=-b",       "a=b.",    "a/b/c=d",   "/a=b",       "a/=b",
        "A.io/a=b", "a=b/c",      "a&b",        "é=x",     "a=é",       "a=\"b\"",    "*",
        "a=*"}) {
    EXPECT_TRUE(LabelSelector::parse(text).failed_with(Code::kBadRequest)) << text;
  }
  EXPECT_FALSE(LabelSelector::parse(std::string_view("a=b\0c", 5)));
  EXPECT_FALSE(LabelSelector::parse("a=" + std::string(64, 'x')));
  EXPECT_FALSE(LabelSelector::parse(std::string(64, 'x') + "=a"));
  EXPECT_TRUE(LabelSelector::parse(std::string(63, 'x') + "=" + std::string(63, 'y')));
}

TEST(LabelSelector, TellsWhatItExpectedInKubernetesWords) {
  const std::pair<const char*, const char*> cases[] = {
      {",", "found ',', expected: !, identifier, or 'end of string'"},
      {"a,", "found '', expected: identifier after ','"},
      {"a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"},
      {"a=b c", "found 'c', expected: ',' or 'end of string'"},
      {"a=(x)", "unable to parse requirement: found '(', expected: identifier"},
      {"a in x", "unable to parse requirement: found 'x' expected: '('"},
      {"a in (x=y)", "unable to parse requirement: found '=', expected: ',' or ')'"},
      {"!", "unable to parse requirement: found '', expected: identifier"},
      {"rank>x",
       "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' "
       "operators, the value must be an integer"}};
  for (const auto& [text, message] : cases) {
    const auto parsed = LabelSelector::parse(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().message(), message) << text;
  }
  EXPECT_TRUE(LabelSelector::parse("-a=b").error().message().starts_with(
      "unable to parse requirement: <nil>: Invalid value: \"-a\": name part must consist of"));
  EXPECT_TRUE(LabelSelector::parse("a=-b").error().message().starts_with(
      "unable to parse requirement: values[0][a]: Invalid value: \"-b\": a valid label must"));
}

TEST(LabelSelector, IsWrittenAsItCanBeReadInOrderOfTheLabels) {
  const std::pair<const char*, const char*> cases[] = {
      {"", ""},
      {"b=1, a==2", "a=2,b=1"},
      {"z notin (b, a),y in (c),!x,w,v!=1", "v!=1,w,!x,y in (c),z notin (a,b)"},
      {"rank > 3,rank< 5", "rank>3,rank<5"},
      {"a in ()", "a in ()"},
      {"a=", "a="}};
  for (const auto& [text, written] : cases) {
    const auto parsed = LabelSelector::parse(text);
    ASSERT_TRUE(parsed) << text;
    EXPECT_EQ(parsed->to_text(), written);
    EXPECT_EQ(LabelSelector::parse(written)->to_text(), written);
  }
}

TEST(LabelSelector, ReadsTheFormThatObjectsHold) {
  const auto selector = LabelSelector::from_object(*parse_json(R"({"matchLabels":{"app":"a"},
    "matchExpressions":[{"key":"tier","operator":"In","values":["y","x"]},
      {"key":"env","operator":"NotIn","values":["test"]},{"key":"gpu","operator":"Exists"},
      {"key":"old","operator":"DoesNotExist","values":[]}]})"));
  ASSERT_TRUE(selector);
  EXPECT_EQ(selector->to_text(), "app=a,env notin (test),gpu,!old,tier in (x,y)");
  EXPECT_TRUE(selector->matches(with_labels("{\"app\":\"a\",\"tier\":\"x\",\"gpu\":\"\"}")));
  EXPECT_FALSE(selector->matches(with_labels("{\"app\":\"a\",\"tier\":\"x\"}")));
}

TEST(LabelSelector, FromAnEmptyObjectSelectsEverythingAndFromNullNothing) {
  const auto everything = LabelSelector::from_object(JsonObject());
  EXPECT_TRUE(everything->empty());
  EXPECT_TRUE(everything->matches(with_labels("{}")));
  const auto nothing = LabelSelector::from_object(nullptr);
  EXPECT_FALSE(nothing->empty());
  EXPECT_FALSE(nothing->matches(with_labels("{}")));
}

TEST(LabelSelector, NamesWhatIsWrongInsideAnObject) {
  const auto selector = LabelSelector::from_object(*parse_json(R"({"matchLabels":{"a":1,"b":"-"},
    "matchExpressions":[{"key":"c","operator":"In"},{"key":"c","operator":"Exists","values":["x"]},
      {"key":"-","operator":"Gt","values":["x y",5]}]})"));
  ASSERT_TRUE(selector.failed_with(Code::kInvalid));
  std::vector<std::string> fields;
  for (const FieldError& cause : selector.error().causes()) fields.push_back(cause.field);
  EXPECT_EQ(fields,
            (std::vector<std::string>{"matchLabels.a", "matchLabels", "matchExpressions[0].values",
                                      "matchExpressions[1].values", "matchExpressions[2].operator",
                                      "matchExpressions[2].key", "matchExpressions[2].values[0]",
                                      "matchExpressions[2].values[1]"}));
}

TEST(LabelSelector, SurvivesHostileLength) {
  EXPECT_FALSE(LabelSelector::parse(std::string(100'000, '(')));
  EXPECT_FALSE(LabelSelector::parse(std::string(100'000, ',')));
  EXPECT_FALSE(LabelSelector::parse(std::string(100'000, '!')));
}

TEST(LabelSelector, TreatsObjectsWithoutLabelsAsHavingNone) {
  for (const char* object : {"{}", "{\"metadata\":{}}", "{\"metadata\":{\"labels\":null}}", "[]"}) {
    EXPECT_FALSE(LabelSelector::parse("a")->matches(*parse_json(object))) << object;
    EXPECT_TRUE(LabelSelector::parse("!a")->matches(*parse_json(object))) << object;
    EXPECT_TRUE(LabelSelector().matches(*parse_json(object))) << object;
  }
}

TEST(LabelSelector, FromLabelsSelectsWhatCarriesThemAll) {
  const auto selector = LabelSelector::from_labels({{"app", "a"}, {"tier", "b"}});
  EXPECT_FALSE(selector.empty());
  EXPECT_TRUE(selector.matches(with_labels("{\"tier\":\"b\",\"app\":\"a\",\"x\":\"\"}")));
  EXPECT_FALSE(selector.matches(with_labels("{\"app\":\"a\"}")));
  EXPECT_TRUE(LabelSelector::from_labels({}).empty());
  EXPECT_FALSE(LabelSelector::from_labels({{"n", 1}}).matches(with_labels("{\"n\":\"1\"}")));
}

TEST(FieldSelector, ComparesDottedPathsAndMissingFieldsAsEmpty) {
  const Json pod = *parse_json(
      "{\"metadata\":{\"name\":\"p\",\"namespace\":\"n\"},\"status\":{\"phase\":\"Running\"},"
      "\"spec\":{\"hostNetwork\":true,\"priority\":5,\"nodeName\":null},\"message\":\"a=b,c\"}");
  const std::pair<const char*, bool> cases[] = {
      {"", true},
      {",", true},
      {"metadata.name=p", true},
      {"metadata.name==p", true},
      {"metadata.name=q", false},
      {"metadata.name=p,metadata.namespace=n", true},
      {"metadata.name=p,metadata.namespace=m", false},
      {"status.phase!=Running", false},
      {"status.phase!=Failed,status.phase!=Succeeded", true},
      {"spec.nodeName=", true},
      {"spec.nodeName!=", false},
      {"spec.missing.deep=", true},
      {"spec.missing=x", false},
      {"spec.hostNetwork=true", true},
      {"spec.priority=5", true},
      {"metadata.name=(p", false},
      {"metadata.name!=(p,metadata.namespace!=n)", true},
      {"message=a\\=b\\,c", true},
  };
  for (const auto& [text, matches] : cases) {
    const auto parsed = FieldSelector::parse(text);
    ASSERT_TRUE(parsed) << text << ": " << parsed.error().message();
    EXPECT_EQ(parsed->matches(pod), matches) << text;
  }
}

TEST(FieldSelector, ReadsAFieldWhereItIsToldTo) {
  auto selector = FieldSelector::parse("status.successful=0");
  ASSERT_TRUE(selector);
  selector->read_from("status.successful", "status.succeeded", "0");
  EXPECT_TRUE(selector->matches(*parse_json("{}")));
  EXPECT_TRUE(selector->matches(*parse_json(R"({"status":{"succeeded":0}})")));
  EXPECT_FALSE(selector->matches(*parse_json(R"({"status":{"succeeded":2}})")));
}

TEST(FieldSelector, RefusesWhatIsNoComparison) {
  for (const char* text :
       {"metadata.name", "=x", "!=x", "metadata.name in (a)", "!metadata.name", "metadata.name=a,b",
        "metadata.name=a=b", "metadata.name!==a", "metadata.name=a\\b", "metadata.name=a\\"}) {
    EXPECT_TRUE(FieldSelector::parse(text).failed_with(Code::kBadRequest)) << text;
  }
}

TEST(FieldSelector, ListsTheFieldsItSpeaksOf) {
  const auto parsed = FieldSelector::parse("metadata.name=x,status.phase!=Running,type==(a");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->fields(), (std::vector<std::string>{"metadata.name", "status.phase", "type"}));
  EXPECT_TRUE(FieldSelector::parse(" ")->empty());
}

TEST(FieldSelector, TellsTheValueThatItDemands) {
  const auto selector = FieldSelector::parse("status.phase!=Failed,metadata.name==a");
  ASSERT_TRUE(selector);
  EXPECT_EQ(selector->required_value("metadata.name"), "a");
  EXPECT_EQ(selector->required_value("status.phase"), std::nullopt);
  EXPECT_EQ(selector->required_value("metadata.namespace"), std::nullopt);
}

}  // namespace
}  // namespace trainyard
