#include "server/kind_table.h"

#include "server/test_server.h"

#include <gtest/gtest.h>

#include <set>

namespace trainyard::server {
namespace {

/// Words that a schema may use. In YAML a stray comma or colon makes a key out of half a sentence,
/// which no reader of schemas complains about; this list does.
bool is_schema_word(std::string_view word) {
  static const std::set<std::string_view> kWords{
      "type",     "description", "properties", "items",     "additionalProperties",
      "required", "default",     "enum",       "format",    "nullable",
      "minimum",  "maximum",     "minLength",  "maxLength", "pattern",
      "minItems", "maxItems"};
  return kWords.contains(word) || word.starts_with("x-kubernetes-");
}

void check_schema(const Json& schema, const std::string& path) {
  ASSERT_TRUE(schema.is_object()) << path << " is no schema: " << to_text(schema);
  for (const auto& member : schema.get_object()) {
    const std::string word(member.key());
    EXPECT_TRUE(is_schema_word(word)) << path << " says \"" << word << "\"";
    EXPECT_FALSE(member.value().is_null()) << path << "." << word << " has no value";
  }
  for (const auto& property : object_at(schema, "properties")) {
    const std::string name(property.key());
    EXPECT_EQ(name.find_first_of(" ,:"), std::string::npos) << path << "." << name;
    check_schema(property.value(), path + "." + name);
  }
  for (const char* below : {"items", "additionalProperties"}) {
    const Json* child = find(schema, below);
    if (child != nullptr && child->is_object()) check_schema(*child, path + "[]");
  }
}

TEST(KindTable, LoadsEveryKindThatThePlatformItselfSpeaksOf) {
  for (const Resource& resource : {kPods, kNodes, kServices, kEvents, kNamespaces, kVolumeClaims,
                                   kServiceAccounts, kPodGroups, kPyTorchTrainingJobs}) {
    EXPECT_NE(test_kinds().find(resource), nullptr) << resource.plural;
  }
  EXPECT_EQ(test_kinds().find({"", "v2", "pods"}), nullptr);
  EXPECT_EQ(test_kinds().find({"", "v1", "poods"}), nullptr);
}

TEST(KindTable, EveryKindIsNamedAndDescribed) {
  for (const Kind& kind : test_kinds().all()) {
    SCOPED_TRACE(kind.kind);
    EXPECT_FALSE(kind.kind.empty());
    EXPECT_FALSE(kind.resource.version.empty());
    EXPECT_FALSE(kind.resource.plural.empty());
    EXPECT_FALSE(kind.singular.empty());
    EXPECT_EQ(kind.list_kind, kind.kind + "List");
    EXPECT_FALSE(string_at(kind.open_api, "description").empty());
    EXPECT_EQ(kind.schema->description(), string_at(kind.open_api, "description"));
  }
}

TEST(KindTable, ShortNamesAreUnique) {
  std::set<std::string> seen;
  for (const Kind& kind : test_kinds().all()) {
    if (kind.resource.group == "events.k8s.io") continue;  // the same events as those of the core
    for (const std::string& name : kind.short_names) {
      EXPECT_TRUE(seen.insert(name).second) << name << " of " << kind.kind;
    }
  }
}

TEST(KindTable, SchemasContainNoYamlAccidents) {
  for (const Kind& kind : test_kinds().all()) check_schema(kind.open_api, kind.kind);
}

TEST(KindTable, EveryFieldOfAJobsSpecIsExplained) {
  const Json& schema = kind_of(kPyTorchTrainingJobs).open_api;
  for (const char* part :
       {"properties.spec.properties", "properties.spec.properties.torchrunConfig.properties",
        "properties.spec.properties.runPolicy.properties"}) {
    ASSERT_FALSE(object_at(schema, part).empty()) << part;
    for (const auto& field : object_at(schema, part)) {
      EXPECT_FALSE(string_at(field.value(), "description").empty())
          << part << "." << std::string_view(field.key());
    }
  }
}

TEST(KindTable, JobKindsHaveThePhaseAndAgeThatPeopleLookFor) {
  std::vector<std::string> narrow;
  for (const Column& column : kind_of(kPyTorchTrainingJobs).columns) {
    if (column.priority == 0) narrow.push_back(column.name);
  }
  EXPECT_EQ(narrow, (std::vector<std::string>{"Phase", "Age"})) << "the name comes by itself";
  EXPECT_EQ(kind_of(kPyTorchTrainingJobs).short_names, std::vector<std::string>{"pj"});
}

}  // namespace
}  // namespace trainyard::server
