#include "server/kinds/kind_table.h"

#include "object/schema/definition.h"
#include "object/table/computed_cells.h"
#include "server/admission/definitions.h"
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

void expect_explained(const Json& schema, const std::string& path) {
  EXPECT_FALSE(string_at(schema, "description").empty()) << path;
  for (const char* below : {"properties", "items.properties"}) {
    for (const auto& field : object_at(schema, below)) {
      const std::string name(field.key());
      const bool plain = name == "apiVersion" || name == "kind";
      if (!plain) expect_explained(field.value(), path + "." + name);
    }
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
  for (const KindPtr& each : test_kinds().all()) {
    const Kind& kind = *each;
    SCOPED_TRACE(kind.kind);
    EXPECT_FALSE(kind.kind.empty());
    EXPECT_FALSE(kind.resource.version.empty());
    EXPECT_FALSE(kind.resource.plural.empty());
    EXPECT_FALSE(kind.singular.empty());
    EXPECT_EQ(kind.list_kind, kind.kind + "List");
    EXPECT_FALSE(string_at(*kind.source, "description").empty());
    EXPECT_EQ(kind.schema->description(), string_at(*kind.source, "description"));
  }
}

TEST(KindTable, ShortNamesAreUnique) {
  std::set<std::string> seen;
  for (const KindPtr& each : test_kinds().all()) {
    const Kind& kind = *each;
    if (kind.resource.group == "events.k8s.io") continue;  // the same events as those of the core
    for (const std::string& name : kind.short_names) {
      EXPECT_TRUE(seen.insert(name).second) << name << " of " << kind.kind;
    }
  }
}

TEST(KindTable, SchemasContainNoYamlAccidents) {
  for (const KindPtr& kind : test_kinds().all()) {
    check_schema(expand_types(*kind->source, test_kinds().shared_types(kind->custom)), kind->kind);
  }
}

TEST(KindTable, OurDefinitionsAreGoodForAnyCluster) {
  for (Json& definition : test_kinds().built_in_definitions()) {
    const ObjectPtr shown = built_in_definition(std::move(definition));
    for (const FieldError& fault : check_definition(shown->body())) {
      ADD_FAILURE() << name_of(shown->body()) << " " << fault.field << ": " << fault.message;
    }
    EXPECT_EQ(to_text(shown->body()).find("x-kubernetes-patch"), std::string::npos)
        << name_of(shown->body()) << ": a cluster knows no such field of a definition";
  }
}

TEST(KindTable, EveryComputedColumnIsKnown) {
  for (const KindPtr& each : test_kinds().all()) {
    const Kind& kind = *each;
    for (const Column& column : kind.columns) {
      const bool good = column.json_path.starts_with('@') ? is_computed_cell(column.json_path)
                                                          : column.json_path.starts_with('.');
      EXPECT_TRUE(good) << kind.kind << ": " << column.json_path;
    }
  }
}

/// The heads that kubectl get prints, those of -o wide with a star.
std::string heads_of(const Resource& resource) {
  std::string heads;
  for (const Column& column : kind_of(resource)->columns) {
    heads += (heads.empty() ? "" : " | ") + column.name + (column.priority > 0 ? "*" : "");
  }
  return heads;
}

TEST(KindTable, ColumnsAreThoseOfKubectl) {
  const std::pair<Resource, const char*> cases[] = {
      {kPods, "Ready | Status | Restarts | Age | IP* | Node* | Nominated Node* | Readiness Gates*"},
      {kNodes,
       "Status | Roles | Age | Version | Internal-IP* | External-IP* | OS-Image* | "
       "Kernel-Version* | Container-Runtime*"},
      {kServices, "Type | Cluster-IP | External-IP | Port(s) | Age | Selector*"},
      {kEvents,
       "Last Seen | Type | Reason | Object | Subobject* | Source* | Message | First Seen* | "
       "Count* | Name*"},
      {kNamespaces, "Status | Age"},
      {kServiceAccounts, "Secrets | Age"},
      {kVolumeClaims,
       "Status | Volume | Capacity | Access Modes | StorageClass | VolumeAttributesClass | Age | "
       "VolumeMode*"},
      {{"", "v1", "persistentvolumes"},
       "Capacity | Access Modes | Reclaim Policy | Status | Claim | StorageClass | "
       "VolumeAttributesClass | Reason | Age | VolumeMode*"},
      {{"", "v1", "secrets"}, "Type | Data | Age"},
      {{"", "v1", "configmaps"}, "Data | Age"},
      {{"", "v1", "endpoints"}, "Endpoints | Age"},
      {{"discovery.k8s.io", "v1", "endpointslices"}, "AddressType | Ports | Endpoints | Age"},
      {{"", "v1", "resourcequotas"}, "Request | Limit | Age"},
      {{"", "v1", "limitranges"}, "Created At"},
      {{"apps", "v1", "deployments"},
       "Ready | Up-to-date | Available | Age | Containers* | Images* | Selector*"},
      {{"apps", "v1", "replicasets"},
       "Desired | Current | Ready | Age | Containers* | Images* | Selector*"},
      {{"apps", "v1", "statefulsets"}, "Ready | Age | Containers* | Images*"},
      {{"batch", "v1", "jobs"},
       "Status | Completions | Duration | Age | Containers* | Images* | Selector*"},
      {{"coordination.k8s.io", "v1", "leases"}, "Holder | Age"},
      {{"scheduling.k8s.io", "v1", "priorityclasses"},
       "Value | Global-Default | Age | PreemptionPolicy"},
      {{"storage.k8s.io", "v1", "storageclasses"},
       "Name | Provisioner | ReclaimPolicy | VolumeBindingMode | AllowVolumeExpansion | Age"},
      {{"rbac.authorization.k8s.io", "v1", "roles"}, "Created At"},
      {{"rbac.authorization.k8s.io", "v1", "rolebindings"},
       "Role | Age | Users* | Groups* | ServiceAccounts*"},
      {{"apiextensions.k8s.io", "v1", "customresourcedefinitions"}, "Created At"},
  };
  for (const auto& [resource, heads] : cases) EXPECT_EQ(heads_of(resource), heads);
}

TEST(KindTable, EveryFieldOfABuiltInKindIsExplained) {
  const std::set<std::string> plain{"apiVersion", "kind", "metadata"};
  for (const KindPtr& each : test_kinds().all()) {
    const Kind& kind = *each;
    if (kind.custom) continue;
    const Json whole = expand_types(*kind.source, test_kinds().shared_types(false));
    for (const auto& field : object_at(whole, "properties")) {
      if (!plain.contains(field.key()))
        expect_explained(field.value(), kind.kind + "." + std::string(field.key()));
    }
  }
}

TEST(KindTable, ListsSayHowTheyMerge) {
  const Schema& pod = *kind_of(kPods)->schema;
  const Schema& spec = *pod.property("spec");
  const Schema& container = *spec.property("containers")->items();
  EXPECT_EQ(spec.property("containers")->merge_key(), "name");
  EXPECT_EQ(spec.property("volumes")->merge_key(), "name");
  EXPECT_EQ(spec.property("tolerations")->merge_key(), "");
  EXPECT_EQ(spec.property("hostAliases")->merge_key(), "ip");
  EXPECT_EQ(container.property("env")->merge_key(), "name");
  EXPECT_EQ(container.property("ports")->merge_key(), "containerPort");
  EXPECT_EQ(container.property("volumeMounts")->merge_key(), "mountPath");
  EXPECT_EQ(container.property("command")->merge_key(), "");
  EXPECT_EQ(pod.property("status")->property("conditions")->merge_key(), "type");
  EXPECT_EQ(pod.property("metadata")->property("ownerReferences")->merge_key(), "uid");
  EXPECT_TRUE(pod.property("metadata")->property("finalizers")->merges_values());
  EXPECT_EQ(kind_of(kServices)->schema->property("spec")->property("ports")->merge_key(), "port");
}

TEST(KindTable, EveryFieldOfAJobsSpecIsExplained) {
  const Json schema =
      expand_types(*kind_of(kPyTorchTrainingJobs)->source, test_kinds().shared_types(true));
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
  for (const Column& column : kind_of(kPyTorchTrainingJobs)->columns) {
    if (column.priority == 0) narrow.push_back(column.name);
  }
  EXPECT_EQ(narrow, (std::vector<std::string>{"Phase", "Age"})) << "the name comes by itself";
  EXPECT_EQ(kind_of(kPyTorchTrainingJobs)->short_names, std::vector<std::string>{"pj"});
}

}  // namespace
}  // namespace trainyard::server
