#include "object/schema/definition.h"

#include <gtest/gtest.h>

namespace trainyard {
namespace {

using Found = std::vector<std::string>;

Json good() {
  return *parse_json(R"({
    "apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
    "metadata":{"name":"crontabs.stable.example.com"},
    "spec":{"group":"stable.example.com","scope":"Namespaced",
      "names":{"plural":"crontabs","kind":"CronTab","shortNames":["ct"],"categories":["all"]},
      "versions":[{"name":"v1","served":true,"storage":true,
        "subresources":{"status":{},"scale":{"specReplicasPath":".spec.replicas",
          "statusReplicasPath":".status.replicas","labelSelectorPath":".status.labelSelector"}},
        "selectableFields":[{"jsonPath":".spec.image"}],
        "additionalPrinterColumns":[{"name":"Age","type":"date",
          "jsonPath":".metadata.creationTimestamp"}],
        "schema":{"openAPIV3Schema":{"type":"object","description":"d",
          "properties":{
            "apiVersion":{"type":"string"},"kind":{"type":"string"},
            "metadata":{"type":"object","properties":{"name":{"type":"string","maxLength":20}}},
            "spec":{"type":"object","required":["image"],"properties":{
              "image":{"type":"string","pattern":"^[a-z]+$"},
              "replicas":{"type":"integer","minimum":0,"default":1},
              "port":{"x-kubernetes-int-or-string":true,
                      "anyOf":[{"type":"integer"},{"type":"string"}],"pattern":"^[0-9]+$"},
              "free":{"type":"object","x-kubernetes-preserve-unknown-fields":true},
              "labels":{"type":"object","additionalProperties":{"type":"string"}},
              "pod":{"type":"object","x-kubernetes-embedded-resource":true,
                     "x-kubernetes-preserve-unknown-fields":true},
              "ports":{"type":"array","x-kubernetes-list-type":"map",
                "x-kubernetes-list-map-keys":["port","protocol"],"items":{"type":"object",
                  "required":["port"],"properties":{"port":{"type":"integer"},
                    "protocol":{"type":"string","default":"TCP"}}}}},
              "oneOf":[{"required":["port"]},{"not":{"required":["free"]}}]},
            "status":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}}}]}})");
}

Found problems(const Json& definition) {
  Found found;
  for (const FieldError& error : check_definition(definition)) {
    found.push_back(error.field + ": " + error.message);
  }
  return found;
}

/// The problems after one place of the good definition was changed.
Found problems_with(std::string_view path, const Json& value) {
  Json definition = good();
  make_path(definition, path) = value;
  return problems(definition);
}

/// The problems when `schema` is that of spec.v, with what comes before them cut off.
Found schema_problems(std::string_view schema) {
  Json definition = good();
  Json& version = find(definition, "spec.versions")->get_array()[0];
  version.get_object().erase("selectableFields");
  make_path(version, "schema.openAPIV3Schema.properties") = JsonObject{{"v", *parse_json(schema)}};
  Found found;
  const std::string start = "spec.versions[0].schema.openAPIV3Schema.properties[v]";
  for (const std::string& problem : problems(definition)) {
    found.push_back(problem.starts_with(start) ? problem.substr(start.size()) : problem);
  }
  return found;
}

Found root_problems(std::string_view schema, bool has_status) {
  Json definition = good();
  Json& version = find(definition, "spec.versions")->get_array()[0];
  version.get_object().erase("selectableFields");
  if (!has_status) version.get_object().erase("subresources");
  make_path(version, "schema.openAPIV3Schema") = *parse_json(schema);
  return problems(definition);
}

TEST(CheckDefinition, AcceptsAGoodOne) {
  EXPECT_EQ(problems(good()), Found());
}

TEST(CheckDefinition, HoldsTheRulesOfNames) {
  EXPECT_EQ(problems_with("metadata.name", "crontabs"),
            Found{R"(metadata.name: Invalid value: "crontabs": must be )"
                  R"(spec.names.plural+"."+spec.group)"});
  EXPECT_EQ(problems_with("spec.group", "").back(), "spec.group: Required value");
  EXPECT_EQ(problems_with("spec.group", "stable").back(),
            R"(spec.group: Invalid value: "stable": should be a domain with at least one dot)");
  EXPECT_EQ(problems_with("spec.scope", "Everywhere"),
            Found{R"(spec.scope: Unsupported value: "Everywhere": supported values: "Cluster", )"
                  R"("Namespaced")"});
  EXPECT_EQ(problems_with("spec.scope", nullptr), Found{"spec.scope: Required value"});
  EXPECT_EQ(problems_with("spec.names", JsonObject()).size(), 3U) << "name, plural and kind";
  EXPECT_EQ(problems_with("spec.names.listKind", "CronTab"),
            Found{R"(spec.names.listKind: Invalid value: "CronTab": kind and listKind may not be )"
                  "the same"});
  for (const char* field : {"spec.names.singular", "spec.names.kind", "spec.names.listKind"}) {
    const Found found = problems_with(field, "Cron_Tab");
    ASSERT_EQ(found.size(), 1U) << field;
    EXPECT_NE(found[0].find("a DNS-1035 label must consist of"), std::string::npos);
  }
  EXPECT_EQ(problems_with("spec.names.shortNames", JsonArray{"CT", 5}).size(), 2U);
}

TEST(CheckDefinition, NeedsOneStoredVersionAndASchemaForEach) {
  Json definition = good();
  JsonArray& versions = find(definition, "spec.versions")->get_array();
  versions.push_back(versions[0]);
  Found found = problems(definition);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_NE(found[0].find("must contain unique version names"), std::string::npos);
  EXPECT_NE(found[1].find("must have exactly one version marked as storage version"),
            std::string::npos);
  versions[1] = {{"name", "v2"}, {"served", true}, {"storage", false}};
  EXPECT_EQ(problems(definition),
            Found{"spec.versions[1].schema.openAPIV3Schema: Required value: schemas are required"});
  versions[1] = 5;
  EXPECT_FALSE(problems(definition).empty());
  EXPECT_EQ(problems_with("spec.versions", JsonArray()).size(), 1U);
  EXPECT_EQ(problems({{"metadata", {{"name", "x"}}}}), Found{"spec: Required value"});
}

TEST(CheckDefinition, RefusesConversionWebhooksInPlainWords) {
  EXPECT_EQ(problems_with("spec.conversion", JsonObject{{"strategy", "None"}}), Found());
  EXPECT_EQ(problems_with("spec.conversion", JsonObject{{"strategy", "Webhook"}}),
            Found{R"(spec.conversion.strategy: Invalid value: "Webhook": this server does not )"
                  "call conversion webhooks: use None, which only changes apiVersion, or one "
                  "version"});
  EXPECT_EQ(problems_with("spec.conversion", JsonObject()),
            Found{"spec.conversion.strategy: Required value"});
  EXPECT_EQ(problems_with("spec.conversion.strategy", "Other").size(), 1U);
  EXPECT_EQ(problems_with("spec.preserveUnknownFields", true).size(), 1U);
}

TEST(CheckDefinition, HoldsTheRulesOfScaleColumnsAndSelectableFields) {
  Json definition = good();
  Json& version = find(definition, "spec.versions")->get_array()[0];
  make_path(version, "subresources.scale") = *parse_json(
      R"({"specReplicasPath":"spec.replicas","statusReplicasPath":".spec.replicas",
          "labelSelectorPath":".metadata.labels"})");
  version.get_object()["additionalPrinterColumns"] =
      *parse_json(R"([{"type":"text","jsonPath":"a","format":"x"},{"name":"A"}])");
  version.get_object()["selectableFields"] = *parse_json(
      R"([{},{"jsonPath":".spec.missing"},{"jsonPath":".metadata.name"},{"jsonPath":".spec.ports"},
          {"jsonPath":".spec.image"},{"jsonPath":".spec.image"},{"jsonPath":".spec['image']"}])");
  const std::string start = "spec.versions[0].";
  Found found;
  for (const std::string& problem : problems(definition)) {
    found.push_back(problem.substr(start.size(), problem.find(": ") - start.size()));
  }
  EXPECT_EQ(found,
            (Found{"subresources.scale.specReplicasPath", "subresources.scale.statusReplicasPath",
                   "subresources.scale.labelSelectorPath", "additionalPrinterColumns[0].name",
                   "additionalPrinterColumns[0].type", "additionalPrinterColumns[0].format",
                   "additionalPrinterColumns[0].JSONPath", "additionalPrinterColumns[1].type",
                   "additionalPrinterColumns[1].JSONPath", "selectableFields[0].jsonPath",
                   "selectableFields[1].jsonPath", "selectableFields[2].jsonPath",
                   "selectableFields[3].jsonPath", "selectableFields[5].jsonPath",
                   "selectableFields[6].jsonPath"}));
}

TEST(CheckDefinition, NeedsApprovalForGroupsOfTheKubernetesProject) {
  Json definition = good();
  make_path(definition, "spec.group") = "x.k8s.io";
  make_path(definition, "metadata.name") = "crontabs.x.k8s.io";
  ASSERT_EQ(problems(definition).size(), 1U);
  EXPECT_TRUE(problems(definition)[0].starts_with(
      "metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups"));
  JsonObject& metadata = find(definition, "metadata")->get_object();
  const auto with = [&](const char* approval) {
    metadata["annotations"] = JsonObject{{"api-approved.kubernetes.io", approval}};
    return problems(definition);
  };
  EXPECT_EQ(with("https://github.com/kubernetes/kubernetes/pull/1"), Found());
  EXPECT_EQ(with("unapproved, an experiment"), Found());
  EXPECT_EQ(with("yes").size(), 1U);
}

TEST(CheckDefinition, NeedsATypeEverywhere) {
  EXPECT_EQ(schema_problems("{}"),
            Found{".type: Required value: must not be empty for specified object fields"});
  EXPECT_EQ(schema_problems(R"({"type":"array","items":{}})"),
            Found{".items.type: Required value: must not be empty for specified array items"});
  EXPECT_EQ(schema_problems(R"({"type":"array"})"),
            Found{".items: Required value: must be specified"});
  EXPECT_EQ(schema_problems(R"({"type":"null"})").size(), 2U);
  EXPECT_EQ(schema_problems(R"({"x-kubernetes-preserve-unknown-fields":true})"), Found());
  EXPECT_EQ(schema_problems(R"({"x-kubernetes-int-or-string":true,
                                "x-kubernetes-preserve-unknown-fields":true})")
                .size(),
            1U);
  EXPECT_EQ(root_problems("{}", false),
            Found{"spec.versions[0].schema.openAPIV3Schema.type: Required value: must not be empty "
                  "at the root"});
}

TEST(CheckDefinition, RefusesKeywordsThatAreNotForIt) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"type":"object","$ref":"#/x"})", ".$ref: Forbidden: $ref is not supported"},
      {R"({"type":"object","definitions":{"a":{"type":"string"}}})",
       ".definitions: Forbidden: definitions is not supported"},
      {R"({"type":"object","patternProperties":{"a":{"type":"string"}}})",
       ".patternProperties: Forbidden: patternProperties is not supported"},
      {R"({"type":"object","dependencies":{"a":["b"]}})",
       ".dependencies: Forbidden: dependencies is not supported"},
      {R"({"type":"object","id":"x"})", ".id: Forbidden: id is not supported"},
      {R"({"type":"array","items":[{"type":"string"}]})",
       ".items: Forbidden: items must be a schema object and not an array"},
      {R"({"type":"array","uniqueItems":true,"items":{"type":"string"}})",
       ".uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity "
       "becomes quadratic"},
      {R"({"type":"object","properties":{"a":{"type":"string"}},
           "additionalProperties":{"type":"string"}})",
       ".additionalProperties: Forbidden: additionalProperties and properties are mutual "
       "exclusive"},
      {R"({"type":"object","x-kubernetes-preserve-unknown-fields":false})",
       ".x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined"},
      {R"({"type":"object","x-trainyard-type":"PodSpec"})",
       ".x-trainyard-type: Forbidden: x-trainyard-type is not supported"},
      {R"({"type":"string","pattern":"("})",
       R"(.pattern: Invalid value: "(": must be a valid regular expression, but isn't: error )"
       "parsing regexp: missing ): ("},
      {R"({"type":"text"})",
       R"(.type: Unsupported value: "text": supported values: "array", "boolean", "integer", )"
       R"("number", "object", "string")"},
  };
  for (const auto& [schema, problem] : cases) {
    EXPECT_EQ(schema_problems(schema), Found{problem}) << schema;
  }
}

TEST(CheckDefinition, NamesKeywordsOfTheWrongType) {
  EXPECT_EQ(schema_problems(R"({"type":5})"),
            Found{R"(.type: Invalid value: "integer": spec.versions[0].schema.openAPIV3Schema.)"
                  R"(properties[v].type in body must be of type string: "integer")"});
  for (const char* schema :
       {R"(5)", R"({"properties":[]})", R"({"properties":{"a":5}})", R"({"required":[1]})",
        R"({"items":5})", R"({"items":[5]})", R"({"allOf":{}})", R"({"not":[]})",
        R"({"additionalProperties":5})", R"({"maxLength":1.5})", R"({"minimum":"1"})",
        R"({"nullable":"yes"})", R"({"enum":{}})", R"({"x-kubernetes-list-map-keys":["a",1]})"}) {
    EXPECT_EQ(schema_problems(schema).size(), 1U) << schema;
  }
}

TEST(CheckDefinition, KeepsTheSkeletonOutOfNestedRules) {
  EXPECT_EQ(schema_problems(R"({"type":"string","anyOf":[{"type":"string"},{"default":false},
                                {"description":"d","nullable":true}]})"),
            (Found{".anyOf[0].type: Forbidden: must be empty to be structural",
                   ".anyOf[1].default: Forbidden: must be undefined to be structural",
                   ".anyOf[2].description: Forbidden: must be empty to be structural",
                   ".anyOf[2].nullable: Forbidden: must be false to be structural"}));
  EXPECT_EQ(root_problems(R"({"type":"object","properties":{"a":{"type":"object"}},
              "allOf":[{"properties":{"a":{"properties":{"b":{"minLength":1}}}}}]})",
                          false),
            Found{"spec.versions[0].schema.openAPIV3Schema.properties[a].properties[b]: Required "
                  "value: because it is defined in "
                  "spec.versions[0].schema.openAPIV3Schema.allOf[0].properties[a].properties[b]"});
}

TEST(CheckDefinition, KnowsWhatMetadataIs) {
  const std::string at = "spec.versions[0].schema.openAPIV3Schema.properties";
  EXPECT_EQ(root_problems(R"({"type":"object","properties":{"kind":{"type":"integer"},
              "metadata":{"type":"object","properties":{"labels":{"type":"object"}}}}})",
                          false),
            (Found{at + R"([kind].type: Invalid value: "integer": must be string)",
                   at + "[metadata]: Forbidden: must not specify anything other than name and "
                        "generateName, but metadata is implicitly specified"}));
  EXPECT_EQ(root_problems(R"({"type":"object","properties":{"metadata":{"type":"object",
              "properties":{"name":{"type":"string","default":"x"}}}}})",
                          false),
            Found{at + "[metadata].properties[name].default: Forbidden: must not be set in "
                       "top-level metadata"});
}

TEST(CheckDefinition, RestrictsTheRootWhenThereIsAStatus) {
  EXPECT_EQ(root_problems(R"({"type":"object","required":["spec"]})", true), Found());
  EXPECT_EQ(root_problems(R"({"type":"object","anyOf":[{"required":["spec"]}]})", true).size(), 1U);
  EXPECT_EQ(root_problems(R"({"type":"object","anyOf":[{"required":["spec"]}]})", false), Found());
  EXPECT_EQ(root_problems(R"({"type":"object","nullable":true})", false),
            Found{"spec.versions[0].schema.openAPIV3Schema.nullable: Forbidden: nullable cannot be "
                  "true at the root"});
  EXPECT_EQ(root_problems(R"({"type":"array","items":{"type":"string"}})", true).size(), 2U);
  EXPECT_EQ(root_problems(R"({"type":"object","additionalProperties":{"type":"string"}})", false),
            Found{"spec.versions[0].schema.openAPIV3Schema.additionalProperties: Forbidden: must "
                  "not be used at the root"});
}

TEST(CheckDefinition, HoldsTheRulesOfListTypes) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"type":"array","x-kubernetes-list-type":"map","items":{"type":"object"}})",
       ".x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type "
       "is map"},
      {R"({"type":"array","x-kubernetes-list-map-keys":["a"],"items":{"type":"object"}})",
       ".x-kubernetes-list-type: Required value: must be map if x-kubernetes-list-map-keys is "
       "non-empty"},
      {R"({"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["a"],
           "items":{"type":"object","properties":{"b":{"type":"string"}}}})",
       R"(.x-kubernetes-list-map-keys: Invalid value: ["a"]: entries must all be names of item )"
       "properties"},
      {R"({"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["a"],
           "items":{"type":"object","properties":{"a":{"type":"string"}}}})",
       ".items.properties[a].default: Required value: this property is in "
       "x-kubernetes-list-map-keys, so it must have a default or be a required property"},
      {R"({"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["a"],
           "items":{"type":"object","required":["a"],"properties":{"a":{"type":"object"}}}})",
       R"(.items.properties[a].type: Invalid value: "object": must be a scalar type if parent )"
       "array's x-kubernetes-list-type is map"},
      {R"({"type":"array","x-kubernetes-list-type":"set","items":{"type":"object"}})",
       R"(.items.x-kubernetes-map-type: Invalid value: "null": must be atomic as item of a list )"
       "with x-kubernetes-list-type=set"},
      {R"({"type":"array","x-kubernetes-list-type":"set",
           "items":{"type":"string","nullable":true}})",
       ".items.nullable: Forbidden: cannot be nullable when x-kubernetes-list-type is set"},
      {R"({"type":"array","x-kubernetes-list-type":"bag","items":{"type":"string"}})",
       R"(.x-kubernetes-list-type: Unsupported value: "bag": supported values: "atomic", "set", )"
       R"("map")"},
      {R"({"type":"string","x-kubernetes-map-type":"atomic"})",
       R"(.type: Invalid value: "string": must be object if x-kubernetes-map-type is specified)"},
  };
  for (const auto& [schema, problem] : cases) {
    EXPECT_EQ(schema_problems(schema), Found{problem}) << schema;
  }
}

TEST(CheckDefinition, NeedsDefaultsToObeyTheirSchema) {
  EXPECT_EQ(
      schema_problems(R"({"type":"object","properties":{"a":{"type":"string","default":5}}})"),
      Found{R"(.properties[a].default: Invalid value: "integer":  in body must be of type )"
            R"(string: "integer")"});
  EXPECT_EQ(schema_problems(R"({"type":"object","default":{"x":1},"properties":{
              "a":{"type":"string"}}})"),
            Found{R"(.default: Invalid value: {"x":1}: must not have unknown fields)"});
  EXPECT_EQ(schema_problems(R"({"type":"object","default":{"a":"xx"},"properties":{
              "a":{"type":"string","maxLength":1}}})"),
            Found{".default.a: Too long: may not be more than 1 bytes"});
  EXPECT_EQ(schema_problems(R"({"type":"array","items":{"type":"string","enum":["a"],
              "default":"b"}})"),
            Found{R"(.items.default: Unsupported value: "b": supported values: "a")"});
}

TEST(CheckDefinition, NeedsRulesInCelToBeThereWhenTheyAreAnnounced) {
  EXPECT_EQ(schema_problems(R"({"type":"integer","x-kubernetes-validations":[
              {"rule":" "},{"rule":"self > 0","message":"a\nb"},{"rule":"self\n> 0"},
              {"rule":"self > 0","reason":"Because"},{"rule":"self > 0","message":"positive"}]})")
                .size(),
            4U);
}

TEST(ApplyDefinitionDefaults, FillsInNamesAndConversion) {
  Json definition = good();
  apply_definition_defaults(definition);
  EXPECT_EQ(string_at(definition, "spec.names.singular"), "crontab");
  EXPECT_EQ(string_at(definition, "spec.names.listKind"), "CronTabList");
  EXPECT_EQ(string_at(definition, "spec.conversion.strategy"), "None");
  const Json once = definition;
  apply_definition_defaults(definition);
  EXPECT_EQ(definition, once);
  Json nothing = JsonObject();
  apply_definition_defaults(nothing);
  EXPECT_EQ(nothing, JsonObject());
}

}  // namespace
}  // namespace trainyard
