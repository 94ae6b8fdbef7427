#include "object/values/field_errors.h"

#include "object/values/field_path.h"

#include <gtest/gtest.h>

namespace trainyard {
namespace {

namespace fe = field_errors;

TEST(FieldPath, WritesStepsAsKubernetesDoes) {
  const FieldPath root;
  const FieldPath spec = root.field("spec");
  const FieldPath labels = spec.field("labels");
  const FieldPath label = labels.key("a.b/c");
  EXPECT_EQ(root.text(), "");
  EXPECT_TRUE(root.empty());
  EXPECT_EQ(label.index(2).text(), "spec.labels[a.b/c][2]");
  EXPECT_EQ(label.index(2).dotted_text(), "spec.labels.a.b/c[2]");
  EXPECT_EQ(root.index(0).field("x").text(), "[0].x");
  EXPECT_FALSE(label.empty());
}

TEST(FieldErrors, AreWordedAsKubernetesDoes) {
  EXPECT_EQ(fe::invalid("a", Json("x\"y"), "bad").message, R"(Invalid value: "x\"y": bad)");
  EXPECT_EQ(fe::invalid("", Json(1), "bad").field, "<nil>");
  EXPECT_EQ(fe::required("a").message, "Required value");
  EXPECT_EQ(fe::required("a", "why").message, "Required value: why");
  EXPECT_EQ(fe::forbidden("a", "why").message, "Forbidden: why");
  EXPECT_EQ(fe::duplicate("a", Json{{"n", 1}}).message, R"(Duplicate value: {"n":1})");
  EXPECT_EQ(fe::not_supported("a", Json(nullptr), {"x", "y"}).message,
            R"(Unsupported value: "null": supported values: "x", "y")");
  EXPECT_EQ(fe::too_long("a", 3).message, "Too long: may not be more than 3 bytes");
  EXPECT_EQ(fe::too_many("a", 4, 3).message, "Too many: 4: must have at most 3 items");
  EXPECT_EQ(fe::wrong_type("a.b", "integer", "string").message,
            R"(Invalid value: "string": a.b in body must be of type integer: "string")");
  EXPECT_EQ(fe::wrong_type("a", "integer", "string").reason, "FieldValueTypeInvalid");
}

TEST(FieldErrors, ShowNumbersAsGoDoes) {
  const std::pair<double, const char*> cases[] = {
      {0, "0"},         {1, "1"},          {0.5, "0.5"},       {100000, "100000"},
      {1e6, "1e+06"},   {1e20, "1e+20"},   {0.0001, "0.0001"}, {0.00001, "1e-05"},
      {-3e6, "-3e+06"}, {123.25, "123.25"}};
  for (const auto& [value, text] : cases) EXPECT_EQ(fe::shown(value), text);
  EXPECT_EQ(fe::shown(Json(2.5)), "2.5");
  EXPECT_EQ(fe::shown(Json(7)), "7");
}

TEST(FieldErrors, ShortenLongValuesBetweenCharacters) {
  for (const char* start : {"", "a", "aa", "aaa"}) {
    std::string text = start;
    for (int i = 0; i < 100; ++i) text += "😀";
    const std::string shown = fe::shown(Json(text));
    EXPECT_LT(shown.size(), 210U);
    EXPECT_TRUE(parse_json(to_text(Json(shown))));
  }
}

}  // namespace
}  // namespace trainyard
