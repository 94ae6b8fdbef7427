#include "server/access/rbac.h"

#include "server/access/role_aggregation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>

namespace trainyard::server {
namespace {

constexpr const char* kGroup = "rbac.authorization.k8s.io";
constexpr const char* kRoles = "rbac.authorization.k8s.io/roles";
constexpr const char* kRoleBindings = "rbac.authorization.k8s.io/rolebindings";
constexpr const char* kClusterRoles = "rbac.authorization.k8s.io/clusterroles";
constexpr const char* kClusterRoleBindings = "rbac.authorization.k8s.io/clusterrolebindings";
constexpr std::array kCollections{kRoles, kRoleBindings, kClusterRoles, kClusterRoleBindings};

using Rules = std::shared_ptr<const std::vector<PolicyRule>>;

/// What one binding gives to one subject.
struct Grant {
  Rules rules;              // null: the role does not exist
  std::string description;  // of the binding, or of the role that is missing
};

/// Subjects by name. Service accounts are users with a name of a certain form.
struct Grants {
  std::unordered_map<std::string, std::vector<Grant>> users;
  std::unordered_map<std::string, std::vector<Grant>> groups;
};

Resource rbac_resource(const char* plural) {
  return Resource{kGroup, "v1", plural};
}

std::string resource_text(const Access& access) {
  if (access.subresource.empty()) return access.resource.plural;
  return access.resource.plural + "/" + access.subresource;
}

/// The object without what garbage collection writes.
Json without_bookkeeping(const Json& object) {
  Json rest = object;
  Json* metadata = find(rest, "metadata");
  if (metadata == nullptr || !metadata->is_object()) return rest;
  for (const char* field :
       {"finalizers", "generation", "managedFields", "ownerReferences", "resourceVersion"}) {
    if (metadata->get_object().contains(field)) metadata->get_object().erase(field);
  }
  return rest;
}

const std::vector<PolicyRule>& full_authority() {
  static const std::vector<PolicyRule> kEverything{{{"*"}, {"*"}, {"*"}, {}, {}},
                                                   {{"*"}, {}, {}, {}, {"*"}}};
  return kEverything;
}

bool aggregates(const Json& role) {
  return !array_at(role, "aggregationRule.clusterRoleSelectors").empty();
}

}  // namespace

/// All that is known of roles at some revision; replaced as a whole when that is no longer right.
struct Rbac::Index {
  std::int64_t revision = 0;  // of the store when it was last found to be right
  std::array<std::int64_t, kCollections.size()> changed_at{};

  std::unordered_map<std::string, Rules> cluster_roles;
  std::map<Key, Rules> roles;
  Grants everywhere;
  std::unordered_map<std::string, Grants> namespaces;

  explicit Index(const store::Store& store);
  Rules rules_of(const Json& role_ref, const std::string& ns) const;
  void add_binding(const Json& binding, Grants& grants);
  template <class Visit>
  bool visit(const User& user, const std::string& ns, Visit visit) const;
};

Rbac::Index::Index(const store::Store& store) : revision(store.revision()) {
  for (std::size_t i = 0; i < kCollections.size(); ++i) {
    changed_at[i] = store.changed_at(kCollections[i]);
  }
  const std::vector<ObjectPtr> all = store.list(kClusterRoles, "").objects;
  for (const ObjectPtr& role : all) {
    cluster_roles[std::string(name_of(role->body()))] =
        std::make_shared<const std::vector<PolicyRule>>(effective_rules(role->body(), all));
  }
  for (const ObjectPtr& role : store.list(kRoles, "").objects) {
    roles[key_of(role->body())] = std::make_shared<const std::vector<PolicyRule>>(
        read_rules(array_at(role->body(), "rules")));
  }
  for (const ObjectPtr& binding : store.list(kClusterRoleBindings, "").objects) {
    add_binding(binding->body(), everywhere);
  }
  for (const ObjectPtr& binding : store.list(kRoleBindings, "").objects) {
    add_binding(binding->body(), namespaces[std::string(namespace_of(binding->body()))]);
  }
}

Rules Rbac::Index::rules_of(const Json& role_ref, const std::string& ns) const {
  const std::string name(string_at(role_ref, "name"));
  const std::string_view kind = string_at(role_ref, "kind");
  if (kind == "ClusterRole") {
    const auto found = cluster_roles.find(name);
    return found == cluster_roles.end() ? nullptr : found->second;
  }
  if (kind != "Role" || ns.empty()) return nullptr;
  const auto found = roles.find(Key{ns, name});
  return found == roles.end() ? nullptr : found->second;
}

void Rbac::Index::add_binding(const Json& binding, Grants& grants) {
  const std::string ns(namespace_of(binding));
  const Json* role_ref = find(binding, "roleRef");
  if (role_ref == nullptr) return;
  const Rules rules = rules_of(*role_ref, ns);
  const std::string_view role_kind = string_at(*role_ref, "kind");
  const std::string_view role_name = string_at(*role_ref, "name");
  const std::string full_name = std::string(name_of(binding)) + (ns.empty() ? "" : "/" + ns);
  for (const Json& subject : array_at(binding, "subjects")) {
    const std::string_view kind = string_at(subject, "kind");
    const std::string name(string_at(subject, "name"));
    std::string subject_ns(string_at(subject, "namespace"));
    if (subject_ns.empty()) subject_ns = ns;
    const bool is_account = kind == "ServiceAccount";
    Grant grant;
    grant.rules = rules;
    if (rules == nullptr) {
      grant.description =
          fmt::format("{}.{} {} not found", role_kind == "Role" ? "role" : "clusterrole", kGroup,
                      in_quotes(role_name));
    } else {
      grant.description =
          fmt::format("{} {} of {} {} to {} {}", ns.empty() ? "ClusterRoleBinding" : "RoleBinding",
                      in_quotes(full_name), role_kind, in_quotes(role_name), kind,
                      in_quotes(is_account ? name + "/" + subject_ns : name));
    }
    if (kind == "User") grants.users[name].push_back(std::move(grant));
    if (kind == "Group") grants.groups[name].push_back(std::move(grant));
    if (is_account && !subject_ns.empty()) {
      grants.users[service_account_name(Key{subject_ns, name})].push_back(std::move(grant));
    }
  }
}

/// Calls visit(grant) for each that the user has in a namespace, until it says true.
template <class Visit>
bool Rbac::Index::visit(const User& user, const std::string& ns, Visit visit) const {
  const auto visit_all = [&visit](const auto& by_name, const std::string& name) {
    const auto found = by_name.find(name);
    return found != by_name.end() && std::any_of(found->second.begin(), found->second.end(), visit);
  };
  const auto visit_grants = [&](const Grants& grants) {
    return visit_all(grants.users, user.name) ||
           std::any_of(user.groups.begin(), user.groups.end(),
                       [&](const std::string& group) { return visit_all(grants.groups, group); });
  };
  if (visit_grants(everywhere)) return true;
  const auto here = ns.empty() ? namespaces.end() : namespaces.find(ns);
  return here != namespaces.end() && visit_grants(here->second);
}

Rbac::Rbac(const store::Store& store) : store_(store) {}

Rbac::~Rbac() = default;

const Rbac::Index& Rbac::index() const {
  if (index_ != nullptr && index_->revision == store_.revision()) return *index_;
  bool same = index_ != nullptr;
  for (std::size_t i = 0; same && i < kCollections.size(); ++i) {
    same = index_->changed_at[i] == store_.changed_at(kCollections[i]);
  }
  if (!same) index_ = std::make_unique<Index>(store_);
  index_->revision = store_.revision();
  return *index_;
}

Rbac::Decision Rbac::decide(const User& user, const Access& access) const {
  Decision decision;
  if (is_member(user, kMasters)) {
    decision.allowed = true;
    return decision;
  }
  const std::string resource = resource_text(access);
  std::vector<std::string> missing;
  decision.allowed = index().visit(user, access.key.ns, [&](const Grant& grant) {
    if (grant.rules == nullptr) {
      missing.push_back(grant.description);
      return false;
    }
    for (const PolicyRule& rule : *grant.rules) {
      if (!allows(rule, access, resource)) continue;
      decision.reason = "RBAC: allowed by " + grant.description;
      return true;
    }
    return false;
  });
  if (!decision.allowed && !missing.empty()) {
    const std::string list = fmt::format("{}", fmt::join(missing, ", "));
    decision.reason = "RBAC: " + (missing.size() > 1 ? "[" + list + "]" : list);
  }
  return decision;
}

Result<> Rbac::check(const User& user, const Access& access) const {
  const Decision decision = decide(user, access);
  if (decision.allowed) return Ok();
  return forbidden(user, access, decision.reason);
}

bool Rbac::may_do_everything(const User& user) const {
  Access everything;
  everything.verb = "*";
  everything.resource = Resource{"*", "", "*"};
  return decide(user, everything).allowed;
}

std::vector<PolicyRule> Rbac::rules_for(const User& user, const std::string& ns) const {
  std::vector<PolicyRule> rules;
  index().visit(user, ns, [&rules](const Grant& grant) {
    if (grant.rules) rules.insert(rules.end(), grant.rules->begin(), grant.rules->end());
    return false;
  });
  return rules;
}

Result<> Rbac::check_escalation(const User& user, const Json& object, const Json* before) const {
  if (is_member(user, kMasters)) return Ok();
  if (before != nullptr && without_bookkeeping(object) == without_bookkeeping(*before)) return Ok();
  const std::string_view kind = string_at(object, "kind");
  if (kind == "Role" || kind == "ClusterRole") return check_role(user, object, before);
  if (kind == "RoleBinding" || kind == "ClusterRoleBinding") return check_binding(user, object);
  return Ok();
}

Result<> Rbac::check_role(const User& user, const Json& role, const Json* before) const {
  const bool cluster_wide = string_at(role, "kind") == "ClusterRole";
  Access escalate;
  escalate.verb = "escalate";
  escalate.resource = rbac_resource(cluster_wide ? "clusterroles" : "roles");
  escalate.key = key_of(role);
  if (before == nullptr) escalate.key.name.clear();  // a name that is not yet there names nothing
  if (decide(user, escalate).allowed) return Ok();
  TRY_OK(confirm_held(user, role, read_rules(array_at(role, "rules"))));
  // What it will gather is not known yet, and it may keep others from taking rules back.
  const bool gathers = aggregates(role) || (before != nullptr && aggregates(*before));
  if (gathers && !not_covered(rules_for(user, ""), full_authority()).empty()) {
    return forbidden_object(escalate.resource, std::string(name_of(role)),
                            "must have cluster-admin privileges to use the aggregationRule");
  }
  return Ok();
}

Result<> Rbac::check_binding(const User& user, const Json& binding) const {
  const std::string ns(namespace_of(binding));
  const Json* role_ref = find(binding, "roleRef");
  if (role_ref == nullptr) return Ok();  // admission says what is missing
  const bool to_cluster_role = string_at(*role_ref, "kind") == "ClusterRole";
  Access bind;
  bind.verb = "bind";
  bind.resource = rbac_resource(to_cluster_role ? "clusterroles" : "roles");
  bind.key = Key{ns, std::string(string_at(*role_ref, "name"))};
  if (decide(user, bind).allowed) return Ok();
  const Rules rules = index().rules_of(*role_ref, ns);
  if (rules == nullptr) {
    return Error(Code::kNotFound, fmt::format("{}.{} {} not found", bind.resource.plural, kGroup,
                                              in_quotes(bind.key.name)));
  }
  return confirm_held(user, binding, *rules);
}

Result<> Rbac::confirm_held(const User& user, const Json& object,
                            const std::vector<PolicyRule>& rules) const {
  const std::string ns(namespace_of(object));
  const std::vector<PolicyRule> missing = not_covered(rules_for(user, ns), rules);
  if (missing.empty()) return Ok();
  std::string plural(string_at(object, "kind"));
  std::transform(plural.begin(), plural.end(), plural.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return forbidden_object(
      rbac_resource((plural + "s").c_str()), std::string(name_of(object)),
      fmt::format("user {} (groups={}) is attempting to grant RBAC permissions not currently "
                  "held:\n{}",
                  in_quotes(user.name), in_quotes(user.groups), describe(missing)));
}

}  // namespace trainyard::server
