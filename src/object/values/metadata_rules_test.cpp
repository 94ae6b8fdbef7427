#include "object/values/metadata_rules.h"

#include "object/schema/schema.h"

#include <gtest/gtest.h>

namespace trainyard {
namespace {

using Found = std::vector<std::string>;

Found problems(std::string_view metadata) {
  Found found;
  for (const FieldError& error : check_metadata({{"metadata", *parse_json(metadata)}})) {
    found.push_back(error.field + ": " + error.message);
  }
  return found;
}

TEST(CheckMetadata, AcceptsWhatIsInOrder) {
  EXPECT_EQ(problems(R"({"name":"x","generateName":"x-","namespace":"d","uid":"1",
    "resourceVersion":"5","generation":1,"creationTimestamp":"2026-11-16T01:02:03Z",
    "deletionGracePeriodSeconds":0,"labels":{"a":"","example.com/b":"c_d"},
    "annotations":{"Example.COM/Free text":"no"}})")
                .size(),
            1U)
      << "blanks are not for keys";
  EXPECT_EQ(problems(R"({"annotations":{"Example.COM/Key":"any text: é\n"},
    "finalizers":["kubernetes","example.com/f"],
    "ownerReferences":[{"apiVersion":"batch/v1","kind":"Job","name":"j","uid":"1",
                        "controller":true,"blockOwnerDeletion":true}],
    "managedFields":[{"manager":"kubectl","operation":"Apply","apiVersion":"v1",
      "time":"2026-11-16T01:02:03Z","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{}}}]})"),
            Found());
  EXPECT_EQ(problems("{}"), Found());
  EXPECT_TRUE(check_metadata(JsonObject()).empty());
}

TEST(CheckMetadata, NamesFieldsOfTheWrongType) {
  EXPECT_EQ(problems("[]"), Found{R"(metadata: Invalid value: "array": metadata in body must be )"
                                  R"(of type object: "array")"});
  EXPECT_EQ(problems(R"({"labels":{"a.b/c":1,"d":true}})"),
            (Found{R"(metadata.labels.a.b/c: Invalid value: "integer": metadata.labels.a.b/c in )"
                   R"(body must be of type string: "integer")",
                   R"(metadata.labels.d: Invalid value: "boolean": metadata.labels.d in body must )"
                   R"(be of type string: "boolean")"}));
  for (const char* metadata :
       {R"({"name":1})", R"({"annotations":[]})", R"({"finalizers":"x"})", R"({"finalizers":[1]})",
        R"({"ownerReferences":{}})", R"({"ownerReferences":[1]})",
        R"({"ownerReferences":[{"apiVersion":"v1","kind":"A","name":"a","uid":1}]})",
        R"({"generation":"1"})", R"({"creationTimestamp":"yesterday"})",
        R"({"deletionTimestamp":5})", R"({"managedFields":[{"operation":1}]})"}) {
    EXPECT_EQ(problems(metadata).size(), 1U) << metadata;
  }
}

TEST(CheckMetadata, HoldsTheSyntaxOfLabelsAndAnnotations) {
  Found found = problems(R"({"labels":{"-a":"b","c":"d e"}})");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_TRUE(found[0].starts_with(
      R"(metadata.labels: Invalid value: "-a": name part must consist of alphanumeric)"));
  EXPECT_TRUE(found[1].starts_with(
      R"(metadata.labels: Invalid value: "d e": a valid label must be an empty string or)"));
  found = problems(R"({"annotations":{"a/b/c":"","/x":""}})");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[1],
            R"(metadata.annotations: Invalid value: "/x": prefix part must be non-empty)");
}

TEST(CheckMetadata, LimitsAnnotationsAsAWhole) {
  const auto with_bytes = [](std::size_t bytes) {
    return problems(R"({"annotations":{"a":")" + std::string(bytes / 2, 'x') + R"(","b":")" +
                    std::string(bytes - bytes / 2 - 2, 'y') + "\"}}");
  };
  EXPECT_EQ(with_bytes(256 << 10), Found());
  EXPECT_EQ(with_bytes((256 << 10) + 1),
            Found{"metadata.annotations: Too long: may not be more than 262144 bytes"});
}

TEST(CheckMetadata, NeedsOwnersToBeNamedInFull) {
  EXPECT_EQ(problems(R"({"ownerReferences":[{}]})"),
            (Found{R"(metadata.ownerReferences.apiVersion: Invalid value: "": version must not be )"
                   "empty",
                   R"(metadata.ownerReferences.kind: Invalid value: "": kind must not be empty)",
                   R"(metadata.ownerReferences.name: Invalid value: "": name must not be empty)",
                   R"(metadata.ownerReferences.uid: Invalid value: "": uid must not be empty)"}));
  const char* owner = R"({"apiVersion":"v1","kind":"A","name":"%","uid":"1","controller":true})";
  const std::string two = std::string(R"({"ownerReferences":[)") + owner + "," + owner + "]}";
  const Found found = problems(two);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NE(found[0].find("Only one reference can have Controller set to true. Found \"true\" in "
                          "references for A/% and A/%"),
            std::string::npos);
  EXPECT_EQ(problems(R"({"ownerReferences":[{"apiVersion":"v1","kind":"Event","name":"e",
                         "uid":"1"}]})")
                .size(),
            1U);
}

TEST(CheckMetadata, HoldsTheRulesOfFinalizersAndManagedFields) {
  EXPECT_EQ(problems(R"({"finalizers":["a b"]})").size(), 1U);
  EXPECT_EQ(problems(R"({"finalizers":["orphan","foregroundDeletion"]})"),
            Found{R"(metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: )"
                  "finalizer orphan and foregroundDeletion cannot be both set"});
  EXPECT_EQ(problems(R"({"managedFields":[{"operation":"Patch","fieldsType":"V2"}]})"),
            (Found{R"(metadata.managedFields[0].operation: Invalid value: "Patch": must be )"
                   "`Apply` or `Update`",
                   R"(metadata.managedFields[0].fieldsType: Invalid value: "V2": must be )"
                   "`FieldsV1`"}));
  EXPECT_EQ(problems(R"({"generation":-1})"),
            Found{"metadata.generation: Invalid value: -1: must be greater than or equal to 0"});
}

TEST(PruneMetadata, KeepsWhatMetadataHasAndNamesTheRest) {
  Json metadata = *parse_json(R"({"name":"x","foo":1,"creationTimestamp":null,
    "labels":{"a":null,"b":"c"},"ownerReferences":[{"uid":"1","bar":2}],
    "managedFields":[{"manager":"m","baz":{}}]})");
  std::vector<std::string> removed;
  const FieldPath root;
  prune_metadata(metadata, root.field("metadata"), removed);
  EXPECT_EQ(to_text(metadata), R"({"name":"x","labels":{"a":"","b":"c"},)"
                               R"("ownerReferences":[{"uid":"1"}],)"
                               R"("managedFields":[{"manager":"m"}]})");
  EXPECT_EQ(removed, (Found{"metadata.foo", "metadata.ownerReferences[0].bar",
                            "metadata.managedFields[0].baz"}));
}

TEST(PruneMetadata, IsPartOfPruningAWholeObject) {
  const auto schema =
      *Schema::compile(*parse_json(R"({"type":"object","properties":{"metadata":{"type":"object"},
        "spec":{"type":"object","properties":{"metadata":{"type":"object"}}}}})"),
                       {});
  Json object = *parse_json(R"({"apiVersion":"a/v1","kind":"A","metadata":{"name":"x","y":1},
                                "spec":{"metadata":{"name":"z"},"kind":"B"},"status":{}})");
  EXPECT_EQ(schema->prune(object),
            (Found{"metadata.y", "spec.kind", "spec.metadata.name", "status"}));
  EXPECT_EQ(to_text(object), R"({"apiVersion":"a/v1","kind":"A","metadata":{"name":"x"},)"
                             R"("spec":{"metadata":{}}})");
  Json part = *parse_json(R"({"kind":"B","spec":{}})");
  EXPECT_EQ(schema->prune(part, Schema::Extent::kPart), Found{"kind"});
}

}  // namespace
}  // namespace trainyard
