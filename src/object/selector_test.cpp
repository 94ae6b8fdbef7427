#include "object/selector.h"

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

}  // namespace
}  // namespace trainyard
