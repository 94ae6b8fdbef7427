#include "object/table/table.h"

#include <gtest/gtest.h>

namespace trainyard {
namespace {

using std::chrono::seconds;

const WallTime kNow(seconds(1794787323));  // 2026-11-16T00:02:03Z

Json read(std::string_view text) {
  return *parse_json(text);
}

TEST(EvaluatePath, FindsTheFirstValue) {
  const Json object = read(R"({"spec":{"a":{"b":5},"list":[{"n":"x"},{"n":"y","v":1}],"e":[]},
    "metadata":{"labels":{"app.kubernetes.io/name":"web","a]b":"c"}},
    "status":{"conditions":[{"type":"Ready"},{"type":"Done","status":"True"},
                            {"type":"Ready","status":"False"}]}})");
  const std::pair<const char*, const char*> cases[] = {
      {".spec.a.b", "5"},
      {"spec.a.b", "5"},
      {".spec.a", R"({"b":5})"},
      {".spec['a'].b", "5"},
      {".spec[\"a\"]['b']", "5"},
      {".spec.list[1].n", R"("y")"},
      {".spec.list[-1].n", R"("y")"},
      {".spec.list[*].n", R"("x")"},
      {".spec.list[*].v", "1"},
      {".spec.list[?(@.n==\"y\")].v", "1"},
      {".spec.list[?(@.n == 'y')].v", "1"},
      {".status.conditions[?(@.type==\"Done\")].status", R"("True")"},
      {".status.conditions[?(@.type==\"Ready\")].status", R"("False")"},
      {".metadata.labels['app\\.kubernetes\\.io/name']", R"("web")"},
      {".metadata.labels['app.kubernetes.io/name']", R"("web")"},
      {".metadata.labels.app\\.kubernetes\\.io/name", R"("web")"},
      {".spec.missing.b", "null"},
      {".spec.a.b.c", "null"},
      {".spec.list[2]", "null"},
      {".spec.list[-3]", "null"},
      {".spec.e[0]", "null"},
      {".spec.e[*]", "null"},
      {".spec.a[0]", "null"},
      {".spec.list[?(@.n==\"z\")]", "null"},
  };
  for (const auto& [path, found] : cases)
    EXPECT_EQ(to_text(evaluate_path(object, path)), found) << path;
}

TEST(EvaluatePath, GivesNullForMalformedPaths) {
  const Json object = read(R"({"a":[{"b":1,"c":"","d":true}],"s":"x"})");
  for (const char* path : {".a[",
                           ".a[]",
                           ".a[0",
                           ".a['",
                           ".a[']",
                           ".a[''",
                           ".a[\"]",
                           ".a[?]",
                           ".a[?(]",
                           ".a[?(@.)]",
                           ".a[?(@.b!=2)]",
                           ".a[?(@.x)]",
                           ".a[?(@.x==\"\")]",
                           ".a[?(@.==)]",
                           ".a[?(@.c=]",
                           ".a[?(@.c==')]",
                           ".a[99999999999999999999]",
                           ".a[-99999999999999999999]",
                           ".a[-2147483648]",
                           ".a[x]",
                           ".a[ ]",
                           ".s[0]",
                           ".s.x",
                           "]",
                           "[",
                           "[[[[",
                           ".a[0]]",
                           "..",
                           "...a",
                           ".a..b",
                           "\\",
                           ".a\\",
                           ".a['\\",
                           "{.a}",
                           "$.a.b",
                           "@",
                           "\xff",
                           ".a[?(@.b==1].b"}) {
    EXPECT_TRUE(evaluate_path(object, path).is_null()) << path;
  }
  EXPECT_TRUE(evaluate_path(object, std::string(100'000, '[')).is_null());
  EXPECT_TRUE(evaluate_path(object, std::string(100'000, '.')).is_null());
}

Kind trial_kind() {
  Kind kind;
  kind.columns = {{"Phase", "string", "", "how it goes", ".status.phase", 0},
                  {"Replicas", "integer", "int32", "", ".spec.replicas", 1},
                  {"Since", "date", "", "", ".metadata.creationTimestamp", 0}};
  return kind;
}

ObjectPtr stored(std::string_view text) {
  return std::make_shared<const StoredObject>(read(text), 1);
}

std::string cell(const std::string& type, std::string_view value) {
  Kind kind;
  kind.columns = {{"C", type, "", "", ".v", 0}};
  const Json table =
      make_table(kind, {stored(R"({"metadata":{"name":"n"},"v":)" + std::string(value) + "}")},
                 kNow, "None", true);
  return to_text(table.at("rows").at(0).at("cells").at(1));
}

TEST(MakeTable, PutsTheNameFirstAndThenTheKindsColumns) {
  const Json table =
      make_table(trial_kind(),
                 {stored(R"({"metadata":{"name":"a","creationTimestamp":"2026-11-16T00:00:03Z"},
                  "spec":{"replicas":3},"status":{"phase":"Running"}})"),
                  stored(R"({"metadata":{"name":"b"}})")},
                 kNow, "None", true);
  EXPECT_EQ(table.at("kind"), "Table");
  EXPECT_EQ(table.at("apiVersion"), "meta.k8s.io/v1");
  const JsonArray& columns = array_at(table, "columnDefinitions");
  ASSERT_EQ(columns.size(), 4U);
  EXPECT_EQ(string_at(columns[0], "name"), "Name");
  EXPECT_EQ(string_at(columns[0], "format"), "name");
  EXPECT_EQ(string_at(columns[1], "description"), "how it goes");
  EXPECT_EQ(int_at(columns[2], "priority"), 1);
  EXPECT_EQ(to_text(table.at("rows")),
            R"([{"cells":["a","Running",3,"2m"]},{"cells":["b",null,null,null]}])");
}

TEST(MakeTable, ShowsTheAgeOfKindsWithoutColumns) {
  const Json table = make_table(
      Kind(), {stored(R"({"metadata":{"name":"a","creationTimestamp":"2026-11-16T00:02:00Z"}})")},
      kNow, "None", true);
  EXPECT_EQ(to_text(table.at("rows")), R"([{"cells":["a","3s"]}])");
}

TEST(MakeTable, SendsAsMuchOfEachObjectAsAsked) {
  const std::vector<ObjectPtr> objects{stored(R"({"metadata":{"name":"a","uid":"u"},"spec":{}})")};
  const auto row = [&](const std::string& include) {
    return make_table(Kind(), objects, kNow, include, true).at("rows").at(0);
  };
  EXPECT_EQ(find(row("None"), "object"), nullptr);
  EXPECT_EQ(row("Metadata").at("object"),
            read(R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1",
                     "metadata":{"name":"a","uid":"u"}})"));
  EXPECT_EQ(row("Object").at("object"), objects[0]->body());
}

TEST(MakeTable, LeavesColumnDefinitionsOutOfLaterWatchEvents) {
  const Json table = make_table(trial_kind(), {}, kNow, "Metadata", false);
  EXPECT_EQ(to_text(table.at("columnDefinitions")), "[]");
  EXPECT_EQ(to_text(table.at("rows")), "[]");
}

TEST(MakeTable, FitsCellsToTheColumnsTypeAsKubernetesDoes) {
  EXPECT_EQ(cell("string", R"("x")"), R"("x")");
  EXPECT_EQ(cell("string", "5"), R"("5")");
  EXPECT_EQ(cell("string", "true"), R"("true")");
  EXPECT_EQ(cell("string", R"({"a":[1]})"), R"("{\"a\":[1]}")");
  EXPECT_EQ(cell("string", "null"), "null");
  EXPECT_EQ(cell("integer", "5"), "5");
  EXPECT_EQ(cell("integer", "5.9"), "5");
  EXPECT_EQ(cell("integer", R"("5")"), "null");
  EXPECT_EQ(cell("integer", "1e300"), "null");
  EXPECT_EQ(cell("number", "2.5"), "2.5");
  EXPECT_EQ(cell("number", R"("x")"), "null");
  EXPECT_EQ(cell("boolean", "false"), "false");
  EXPECT_EQ(cell("boolean", "1"), "null");
  EXPECT_EQ(cell("date", R"("2026-11-16T00:01:03Z")"), R"("60s")");
  EXPECT_EQ(cell("date", R"("soon")"), R"("<invalid>")");
  EXPECT_EQ(cell("date", "5"), "null");
}

TEST(MakeTable, LeavesTheNameToKindsThatShowItThemselves) {
  Kind kind;
  kind.columns = {{"Reason", "string", "", "", ".reason", 0},
                  {"Name", "string", "name", "", ".metadata.name", 1}};
  const std::vector<ObjectPtr> objects{stored(R"({"metadata":{"name":"a"},"reason":"R"})")};
  EXPECT_EQ(to_text(make_table(kind, objects, kNow, "None", true).at("rows")),
            R"([{"cells":["R","a"]}])");
  kind.custom = true;
  EXPECT_EQ(to_text(make_table(kind, objects, kNow, "None", true).at("rows")),
            R"([{"cells":["a","R","a"]}])")
      << "a user's column may be called as it likes";
}

}  // namespace
}  // namespace trainyard
