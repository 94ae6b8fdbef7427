#include "server/rules/rules.h"

#include "object/values/names.h"
#include "server/job_rules/job_rules.h"
#include "server/rules/defaults.h"
#include "server/rules/kind_rules.h"
#include "server/rules/pod_spec.h"

#include <fmt/format.h>

#include <map>

namespace trainyard::server {
namespace {

using ObjectCheck = void (*)(const Json& object, Errors& errors);
using UpdateCheck = void (*)(const Json& before, const Json& after, Errors& errors);
using ObjectChange = void (*)(Json& object);

/// What is particular to one built-in kind; what a kind does not need is null.
struct BuiltInKind {
  ObjectCheck check = nullptr;
  UpdateCheck check_update = nullptr;
  ObjectChange complete = nullptr;  // at every write
  ObjectChange start = nullptr;     // at creation
};

void check_pod(const Json& pod, Errors& errors) {
  check_pod_spec(*find(pod, "spec"), "spec", errors);
  check_images(*find(pod, "spec"), "spec", errors);
}

void start_namespace(Json& ns) {
  make_path(ns, "status") = JsonObject{{"phase", "Active"}};
}

void start_claim(Json& claim) {
  make_path(claim, "status") = JsonObject{{"phase", "Pending"}};
}

void start_volume(Json& volume) {
  make_path(volume, "status") = JsonObject{{"phase", "Available"}};
}

void start_service(Json& service) {
  make_path(service, "status") = JsonObject{{"loadBalancer", JsonObject()}};
}

constexpr const char* kAccess = "rbac.authorization.k8s.io";

const std::map<Resource, BuiltInKind>& built_in_kinds() {
  static const std::map<Resource, BuiltInKind> kKinds{
      {kPods, {check_pod, check_pod_update, complete_pod, start_pod}},
      {kNamespaces, {nullptr, nullptr, complete_namespace, start_namespace}},
      {kNodes, {check_node, nullptr, nullptr, nullptr}},
      {kEvents, {check_event, nullptr, nullptr, nullptr}},
      {kServices, {check_service, check_service_update, complete_service, start_service}},
      {kVolumeClaims, {check_claim, check_claim_update, nullptr, start_claim}},
      {{"", "v1", "endpoints"}, {check_endpoints, nullptr, nullptr, nullptr}},
      {{"", "v1", "configmaps"}, {check_config_map, check_config_map_update, nullptr, nullptr}},
      {{"", "v1", "secrets"}, {check_secret, check_secret_update, complete_secret, nullptr}},
      {{"", "v1", "persistentvolumes"}, {check_volume, check_volume_update, nullptr, start_volume}},
      {{"", "v1", "resourcequotas"}, {check_quota, check_quota_update, nullptr, nullptr}},
      {{"", "v1", "limitranges"}, {check_limit_range, nullptr, complete_limit_range, nullptr}},
      {{"apps", "v1", "deployments"},
       {check_deployment, check_selector_unchanged, complete_deployment, nullptr}},
      {{"apps", "v1", "replicasets"},
       {check_replica_set, check_selector_unchanged, complete_pod_template, nullptr}},
      {{"apps", "v1", "statefulsets"},
       {check_stateful_set, check_stateful_set_update, complete_stateful_set, nullptr}},
      {{"batch", "v1", "jobs"},
       {check_batch_job, check_batch_job_update, complete_batch_job, start_batch_job}},
      {{"coordination.k8s.io", "v1", "leases"}, {check_lease, nullptr, nullptr, nullptr}},
      {{"scheduling.k8s.io", "v1", "priorityclasses"},
       {check_priority_class, check_priority_class_update, nullptr, nullptr}},
      {{"storage.k8s.io", "v1", "storageclasses"},
       {nullptr, check_storage_class_update, nullptr, nullptr}},
      {{kAccess, "v1", "roles"}, {check_role, nullptr, nullptr, nullptr}},
      {{kAccess, "v1", "clusterroles"}, {check_cluster_role, nullptr, nullptr, nullptr}},
      {{kAccess, "v1", "rolebindings"},
       {check_role_binding, check_role_binding_update, complete_role_binding, nullptr}},
      {{kAccess, "v1", "clusterrolebindings"},
       {check_cluster_role_binding, check_role_binding_update, complete_role_binding, nullptr}},
      {{"apiextensions.k8s.io", "v1", "customresourcedefinitions"},
       {nullptr, nullptr, complete_definition, nullptr}},
  };
  return kKinds;
}

const BuiltInKind& built_in_kind(const Kind& kind) {
  static const BuiltInKind kPlain;
  const auto found = built_in_kinds().find(kind.resource);
  return found == built_in_kinds().end() ? kPlain : found->second;
}

}  // namespace

void set_dependent_defaults(const Kind& kind, Json& object) {
  if (kind.custom) return;
  if (const ObjectChange complete = built_in_kind(kind).complete) complete(object);
  write_amounts(*kind.schema, object);
}

void set_built_in_defaults(const Kind& kind, Json& object) {
  if (const ObjectChange start = built_in_kind(kind).start) start(object);
}

Errors check_rules(const Kind& kind, const Json& object) {
  Errors errors = check_job_rules(kind, object, check_pod_spec);
  if (const ObjectCheck check = built_in_kind(kind).check) check(object, errors);
  return errors;
}

Errors check_immutable(const Kind& kind, const Json& before, const Json& after) {
  Errors errors = check_job_update(kind, before, after);
  if (const UpdateCheck check = built_in_kind(kind).check_update) check(before, after, errors);
  return errors;
}

std::vector<std::string> name_problems(const Kind& kind, std::string_view name) {
  if (kind.resource == kNamespaces) return label_problems(name);
  if (kind.resource == kServices) return dns1035_label_problems(name);
  // Roles are called system:node and the like.
  if (kind.resource.group == kAccess) return path_segment_problems(name, false);
  return subdomain_problems(name);
}

}  // namespace trainyard::server
