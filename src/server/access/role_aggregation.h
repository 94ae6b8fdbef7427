#pragma once

#include "base/async.h"
#include "server/access/policy_rule.h"
#include "store/store.h"

#include <vector>

namespace trainyard::server {

/// The rules of a ClusterRole among all ClusterRoles: its own, or those of every role that its
/// aggregationRule selects, directly or through another role that aggregates.
std::vector<PolicyRule> effective_rules(const Json& role, const std::vector<ObjectPtr>& roles);

/// Writes the rules of roles that aggregate into their objects, so that people see them. Whoever
/// decides goes by effective_rules() and need not wait for it. For the start, and after each write
/// of a ClusterRole.
awaitable<Result<>> write_aggregated_rules(store::Store& store);

}  // namespace trainyard::server
