#include "embedded/default_roles.h"

#include "base/check.h"
#include "object/yaml/yaml.h"
#include "server/access/rbac.h"
#include "server/access/role_aggregation.h"

#include <algorithm>

namespace trainyard::server {
namespace {

constexpr const char* kAutoUpdate = "rbac.authorization.kubernetes.io/autoupdate";

/// Appends what `wanted` has in a list and `stored` has not; true when there was something.
bool add_missing(Json& stored, const Json& wanted, const char* list) {
  JsonArray merged = array_at(stored, list);
  const std::size_t before = merged.size();
  for (const Json& entry : array_at(wanted, list)) {
    if (std::find(merged.begin(), merged.end(), entry) == merged.end()) merged.push_back(entry);
  }
  if (merged.size() == before) return false;
  stored.get_object()[list] = std::move(merged);
  return true;
}

}  // namespace

std::vector<Json> default_roles() {
  auto roles = parse_yaml(embedded::default_roles().front().bytes);
  CHECK(roles.has_value());
  std::vector<ObjectPtr> objects;
  for (Json& role : *roles) {
    role.get_object()["apiVersion"] = "rbac.authorization.k8s.io/v1";
    Json& metadata = role.get_object()["metadata"];
    JsonObject labels = object_at(metadata, "labels");
    labels["kubernetes.io/bootstrapping"] = "rbac-defaults";
    metadata.get_object()["labels"] = std::move(labels);
    metadata.get_object()["annotations"] = JsonObject{{kAutoUpdate, "true"}};
    objects.push_back(std::make_shared<const StoredObject>(role, 0));
  }
  for (Json& role : *roles) {
    if (find(role, "aggregationRule") == nullptr) continue;
    JsonArray rules;
    for (const PolicyRule& rule : effective_rules(role, objects)) rules.push_back(to_json(rule));
    role.get_object()["rules"] = std::move(rules);
  }
  return *std::move(roles);
}

std::optional<Json> updated_default_role(const Json& stored, const Json& wanted) {
  if (annotation_of(stored, kAutoUpdate) != "true") return std::nullopt;
  Json updated = stored;
  // What is aggregated follows by itself.
  const bool aggregated = find(wanted, "aggregationRule") != nullptr;
  const bool rules = !aggregated && add_missing(updated, wanted, "rules");
  const bool subjects = add_missing(updated, wanted, "subjects");
  if (!rules && !subjects) return std::nullopt;
  return updated;
}

}  // namespace trainyard::server
