#include "object/values/names.h"
#include "server/rules/kind_rules.h"

namespace trainyard::server {
namespace {

constexpr const char* kGroup = "rbac.authorization.k8s.io";

void check_rule(const Json& rule, bool namespaced, const std::string& path, Errors& errors) {
  if (array_at(rule, "verbs").empty()) {
    errors.push_back(
        field_errors::required(path + ".verbs", "verbs must contain at least one value"));
  }
  const JsonArray& urls = array_at(rule, "nonResourceURLs");
  if (!urls.empty()) {
    const std::string here = path + ".nonResourceURLs";
    if (namespaced) {
      errors.push_back(
          field_errors::invalid(here, urls, "namespaced rules cannot apply to non-resource URLs"));
    }
    if (!array_at(rule, "apiGroups").empty() || !array_at(rule, "resources").empty() ||
        !array_at(rule, "resourceNames").empty()) {
      errors.push_back(field_errors::invalid(
          here, urls, "rules cannot apply to both regular resources and non-resource URLs"));
    }
    return;
  }
  if (array_at(rule, "apiGroups").empty()) {
    errors.push_back(field_errors::required(path + ".apiGroups",
                                            "resource rules must supply at least one api group"));
  }
  if (array_at(rule, "resources").empty()) {
    errors.push_back(field_errors::required(path + ".resources",
                                            "resource rules must supply at least one resource"));
  }
}

void check_rules_of(const Json& role, bool namespaced, Errors& errors) {
  std::size_t index = 0;
  for (const Json& rule : array_at(role, "rules")) {
    check_rule(rule, namespaced, at("rules", index++), errors);
  }
}

void check_role_ref(const Json& binding, const std::vector<std::string>& kinds, Errors& errors) {
  const std::string_view group = string_at(binding, "roleRef.apiGroup");
  if (group != kGroup) {
    errors.push_back(field_errors::not_supported("roleRef.apiGroup", Json(group), {kGroup}));
  }
  const std::string kind(string_at(binding, "roleRef.kind"));
  bool known = false;
  for (const std::string& one : kinds) known = known || one == kind;
  if (!known) errors.push_back(field_errors::not_supported("roleRef.kind", Json(kind), kinds));
  const std::string_view name = string_at(binding, "roleRef.name");
  if (name.empty()) {
    errors.push_back(field_errors::required("roleRef.name"));
  } else {
    add_problems(path_segment_problems(name, false), "roleRef.name", name, errors);
  }
}

void check_subject(const Json& subject, const std::string& path, Errors& errors) {
  const std::string_view name = string_at(subject, "name");
  if (name.empty()) errors.push_back(field_errors::required(path + ".name"));
  const std::string_view kind = string_at(subject, "kind");
  const std::string_view group = string_at(subject, "apiGroup");
  if (kind == "ServiceAccount") {
    if (!name.empty()) add_problems(subdomain_problems(name), path + ".name", name, errors);
    if (!group.empty()) {
      errors.push_back(field_errors::not_supported(path + ".apiGroup", Json(group), {""}));
    }
    if (string_at(subject, "namespace").empty()) {
      errors.push_back(field_errors::required(path + ".namespace"));
    }
  } else if (kind == "User" || kind == "Group") {
    if (group != kGroup) {
      errors.push_back(field_errors::not_supported(path + ".apiGroup", Json(group), {kGroup}));
    }
  } else {
    errors.push_back(field_errors::not_supported(path + ".kind", Json(kind),
                                                 {"ServiceAccount", "User", "Group"}));
  }
}

void check_binding(const Json& binding, const std::vector<std::string>& kinds, Errors& errors) {
  check_role_ref(binding, kinds, errors);
  std::size_t index = 0;
  for (const Json& subject : array_at(binding, "subjects")) {
    check_subject(subject, at("subjects", index++), errors);
  }
}

}  // namespace

void check_role(const Json& role, Errors& errors) {
  check_rules_of(role, true, errors);
}

void check_cluster_role(const Json& role, Errors& errors) {
  check_rules_of(role, false, errors);
  const Json* aggregation = find(role, "aggregationRule");
  if (aggregation == nullptr) return;
  const JsonArray& selectors = array_at(*aggregation, "clusterRoleSelectors");
  if (selectors.empty()) {
    errors.push_back(
        field_errors::required("aggregationRule.clusterRoleSelectors",
                               "at least one clusterRoleSelector required if aggregationRule is "
                               "non-nil"));
  }
  for (std::size_t i = 0; i < selectors.size(); ++i) {
    check_label_selector(selectors[i], at("aggregationRule.clusterRoleSelectors", i), errors);
  }
}

void check_role_binding(const Json& binding, Errors& errors) {
  check_binding(binding, {"Role", "ClusterRole"}, errors);
}

void check_cluster_role_binding(const Json& binding, Errors& errors) {
  check_binding(binding, {"ClusterRole"}, errors);
}

void check_role_binding_update(const Json& before, const Json& after, Errors& errors) {
  if (same_field(before, after, "roleRef")) return;
  const Json* reference = find(after, "roleRef");
  errors.push_back(field_errors::invalid("roleRef", reference == nullptr ? Json() : *reference,
                                         "cannot change roleRef"));
}

}  // namespace trainyard::server
