#pragma once

#include "server/access/access.h"
#include "server/access/policy_rule.h"
#include "store/store.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace trainyard::server {

/// Decides who may do what, from the Roles, ClusterRoles and their bindings in the store. What no
/// rule allows is forbidden; members of system:masters may do everything. Looks at the store again
/// only when one of these kinds has changed, so that a decision costs about a microsecond.
class Rbac {
 public:
  explicit Rbac(const store::Store& store);
  ~Rbac();

  /// kForbidden in the words of kube-apiserver, unless a rule allows it.
  Result<> check(const User& user, const Access& access) const;

  struct Decision {
    bool allowed = false;
    /// Which binding allows it; when none does: which role is bound and does not exist. May be
    /// empty.
    std::string reason;
  };
  Decision decide(const User& user, const Access& access) const;

  /// Whether nothing is kept from the user: what only a cluster-admin may do asks for this.
  bool may_do_everything(const User& user) const;

  /// Everything that the user may do in a namespace; in an empty one: everywhere.
  std::vector<PolicyRule> rules_for(const User& user, const std::string& ns) const;

  /// For a Role, ClusterRole, RoleBinding or ClusterRoleBinding, as admitted, that the user is
  /// about to create (`before` is null) or to change: kForbidden when it would give away what the
  /// user does not have, except to those who may `escalate` roles or `bind` that role. kNotFound
  /// when a binding names a role that does not exist. Other kinds pass.
  Result<> check_escalation(const User& user, const Json& object, const Json* before) const;

 private:
  struct Index;
  const Index& index() const;
  Result<> check_role(const User& user, const Json& role, const Json* before) const;
  Result<> check_binding(const User& user, const Json& binding) const;
  Result<> confirm_held(const User& user, const Json& object,
                        const std::vector<PolicyRule>& rules) const;

  const store::Store& store_;
  mutable std::unique_ptr<Index> index_;
};

/// The roles and bindings that every cluster has, for creation at the start where they are missing.
/// Those of the job kinds are aggregated to admin, edit and view.
std::vector<Json> default_roles();

/// A stored default role or binding that lacks rules or subjects which a newer version of this
/// program gives it; nothing when there is nothing to add, or when its annotation
/// rbac.authorization.kubernetes.io/autoupdate says false.
std::optional<Json> updated_default_role(const Json& stored, const Json& wanted);

}  // namespace trainyard::server
