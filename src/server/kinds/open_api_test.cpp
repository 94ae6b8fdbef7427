#include "server/kinds/open_api.h"

#include "server/test_server.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace trainyard::server {
namespace {

std::string root_of(const Kind& kind) {
  return (kind.resource.group.empty() ? "api/" : "apis/") + kind.resource.api_version();
}

Json document(const std::string& path) {
  OpenApi open_api(test_kinds());
  const auto text = open_api.answer(path);
  EXPECT_TRUE(text) << path;
  auto parsed = parse_json(text.value_or("null"));
  EXPECT_TRUE(parsed) << path;
  return parsed ? *std::move(parsed) : Json();
}

bool is_of_kind(const Json& group_version_kind, const Kind& kind) {
  return string_at(group_version_kind, "group", "-") == kind.resource.group &&
         string_at(group_version_kind, "version") == kind.resource.version &&
         string_at(group_version_kind, "kind") == kind.kind;
}

/// The PATCH operation for a kind's objects.
const Json* patch_of(const Json& api, const Kind& kind) {
  const std::string path =
      fmt::format("/{}{}/{}/{{name}}", root_of(kind),
                  kind.namespaced ? "/namespaces/{namespace}" : "", kind.resource.plural);
  const Json* operations = object_at(api, "paths").if_contains(path);
  return operations == nullptr ? nullptr : find(*operations, "patch");
}

void check_patch(const Json& api, const Kind& kind) {
  if (!kind.serves("patch")) return;
  const Json* patch = patch_of(api, kind);
  ASSERT_NE(patch, nullptr) << kind.kind;
  const Json* about = find(*patch, "x-kubernetes-group-version-kind");
  ASSERT_NE(about, nullptr) << kind.kind;
  EXPECT_TRUE(is_of_kind(*about, kind)) << kind.kind;
  bool validates = false;
  for (const Json& parameter : array_at(*patch, "parameters")) {
    validates = validates || (string_at(parameter, "name") == "fieldValidation" &&
                              string_at(parameter, "in") == "query");
  }
  EXPECT_TRUE(validates) << "kubectl would not trust the server to validate " << kind.kind;
}

/// Whether one of the schemas says that it is the kind's.
bool describes(const JsonObject& schemas, const Kind& kind) {
  for (const auto& schema : schemas) {
    for (const Json& about : array_at(schema.value(), "x-kubernetes-group-version-kind")) {
      if (is_of_kind(about, kind)) return !string_at(schema.value(), "description").empty();
    }
  }
  return false;
}

TEST(OpenApi, EveryKindCanBePatchedWithFieldValidationAndIsDescribedInV3) {
  for (const KindPtr& each : test_kinds().all()) {
    const Kind& kind = *each;
    const Json api = document("/openapi/v3/" + root_of(kind));
    check_patch(api, kind);
    EXPECT_TRUE(describes(object_at(api, "components.schemas"), kind)) << kind.kind;
  }
}

TEST(OpenApi, EveryKindCanBePatchedWithFieldValidationAndIsDescribedInV2) {
  const Json api = document("/openapi/v2");
  EXPECT_EQ(string_at(api, "swagger"), "2.0");
  for (const KindPtr& each : test_kinds().all()) {
    const Kind& kind = *each;
    check_patch(api, kind);
    EXPECT_TRUE(describes(object_at(api, "definitions"), kind)) << kind.kind;
  }
}

TEST(OpenApi, TheIndexLeadsToEveryDocumentByItsContent) {
  const Json index = document("/openapi/v3");
  for (const KindPtr& each : test_kinds().all()) {
    const Kind& kind = *each;
    const Json* entry = object_at(index, "paths").if_contains(root_of(kind));
    ASSERT_NE(entry, nullptr) << root_of(kind);
    EXPECT_TRUE(string_at(*entry, "serverRelativeURL")
                    .starts_with("/openapi/v3/" + root_of(kind) + "?hash="));
  }
}

TEST(OpenApi, OurOwnExtensionIsResolvedBeforeAnybodySeesIt) {
  OpenApi open_api(test_kinds());
  EXPECT_EQ(open_api.answer("/openapi/v2").value().find("x-trainyard"), std::string::npos);
}

TEST(OpenApi, BuiltInKindsAreNamedAsKubernetesNamesThem) {
  const Json api = document("/openapi/v2");
  for (const char* name :
       {"io.k8s.api.core.v1.Pod", "io.k8s.api.apps.v1.Deployment", "io.k8s.api.rbac.v1.Role",
        "io.k8s.api.coordination.v1.Lease", "io.k8s.api.storage.v1.StorageClass",
        "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition",
        "io.k8s.metrics.pkg.apis.metrics.v1beta1.PodMetrics",
        "io.k8s.apimachinery.pkg.api.resource.Quantity"}) {
    EXPECT_TRUE(object_at(api, "definitions").contains(name)) << name;
  }
}

TEST(OpenApi, EveryKindHasWhatAllObjectsHave) {
  const Json api = document("/openapi/v2");
  for (const auto& schema : object_at(api, "definitions")) {
    if (find(schema.value(), "x-kubernetes-group-version-kind") == nullptr) continue;
    for (const char* name : {"apiVersion", "kind", "metadata"}) {
      EXPECT_TRUE(object_at(schema.value(), "properties").contains(name))
          << std::string_view(schema.key()) << " " << name;
    }
  }
}

TEST(OpenApi, AnswersNothingElse) {
  OpenApi open_api(test_kinds());
  for (const char* path : {"/openapi", "/openapi/v1", "/openapi/v3/", "/openapi/v3/api/v2",
                           "/openapi/v3/apis/batch.tensorstack.dev"}) {
    EXPECT_FALSE(open_api.answer(path)) << path;
  }
}

}  // namespace
}  // namespace trainyard::server
