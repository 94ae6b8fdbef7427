#pragma once

#include "server/access/access.h"

#include <string>
#include <vector>

namespace trainyard::server {

/// One rule of a Role or ClusterRole: verbs on resources, or verbs on paths.
struct PolicyRule {
  std::vector<std::string> verbs;
  std::vector<std::string> api_groups;
  std::vector<std::string> resources;
  std::vector<std::string> resource_names;  // empty: all
  std::vector<std::string> non_resource_urls;
  bool operator==(const PolicyRule&) const = default;
};

PolicyRule read_rule(const Json& rule);
std::vector<PolicyRule> read_rules(const JsonArray& rules);
Json to_json(const PolicyRule& rule);

/// `resource` is plural/subresource, put together once for all rules.
bool allows(const PolicyRule& rule, const Access& access, const std::string& resource);

/// What `wanted` allows and `held` does not, each with one group, resource, verb and name.
std::vector<PolicyRule> not_covered(const std::vector<PolicyRule>& held,
                                    const std::vector<PolicyRule>& wanted);
/// One line a rule, verbs of the same resource together, in order:
/// {APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}
std::string describe(const std::vector<PolicyRule>& rules);

}  // namespace trainyard::server
