#include "server/access/policy_rule.h"

#include "server/test_store.h"

namespace trainyard::server {
namespace {

PolicyRule rule(const std::string& yaml) {
  return read_rule(from_yaml(yaml));
}

/// "get apps deployments/scale team/name", the last two as far as they are needed.
bool rule_allows(const PolicyRule& given, const std::string& verb, const std::string& group,
                 const std::string& resource, const std::string& name = "") {
  Access access;
  access.verb = verb;
  access.resource.group = group;
  access.resource.plural = resource.substr(0, resource.find('/'));
  if (const std::size_t slash = resource.find('/'); slash != std::string::npos) {
    access.subresource = resource.substr(slash + 1);
  }
  access.key.name = name;
  return allows(given, access, resource);
}

TEST(PolicyRule, AllowsExactlyWhatItNames) {
  const PolicyRule pods =
      rule("{apiGroups: [''], resources: [pods, pods/log], verbs: [get, list]}");
  EXPECT_TRUE(rule_allows(pods, "get", "", "pods"));
  EXPECT_TRUE(rule_allows(pods, "get", "", "pods", "x"));
  EXPECT_TRUE(rule_allows(pods, "list", "", "pods/log"));
  EXPECT_FALSE(rule_allows(pods, "watch", "", "pods"));
  EXPECT_FALSE(rule_allows(pods, "get", "apps", "pods"));
  EXPECT_FALSE(rule_allows(pods, "get", "", "pods/exec"));
  EXPECT_FALSE(rule_allows(pods, "get", "", "podsx"));
  EXPECT_FALSE(rule_allows(pods, "", "", "pods"));
}

TEST(PolicyRule, AResourceIsNotItsSubresources) {
  const PolicyRule pods = rule("{apiGroups: [''], resources: [pods], verbs: ['*']}");
  EXPECT_TRUE(rule_allows(pods, "anything", "", "pods"));
  EXPECT_FALSE(rule_allows(pods, "get", "", "pods/log"));
  const PolicyRule log = rule("{apiGroups: [''], resources: [pods/log], verbs: ['*']}");
  EXPECT_FALSE(rule_allows(log, "get", "", "pods"));
}

TEST(PolicyRule, AStarStandsForAllResourcesOrForAllWithASubresource) {
  const PolicyRule all = rule("{apiGroups: ['*'], resources: ['*'], verbs: [get]}");
  EXPECT_TRUE(rule_allows(all, "get", "apps", "deployments/scale"));
  const PolicyRule scale = rule("{apiGroups: [apps], resources: ['*/scale'], verbs: [get]}");
  EXPECT_TRUE(rule_allows(scale, "get", "apps", "deployments/scale"));
  EXPECT_FALSE(rule_allows(scale, "get", "apps", "deployments"));
  EXPECT_FALSE(rule_allows(scale, "get", "apps", "deployments/autoscale"));
  EXPECT_FALSE(rule_allows(scale, "get", "", "replicationcontrollers/scale"));
  const PolicyRule not_a_pattern = rule("{apiGroups: [''], resources: ['po*'], verbs: ['g*']}");
  EXPECT_FALSE(rule_allows(not_a_pattern, "get", "", "pods"));
}

TEST(PolicyRule, NamesRestrictWhatNamesSomething) {
  const PolicyRule one =
      rule("{apiGroups: [''], resources: [secrets], resourceNames: [a], verbs: ['*']}");
  EXPECT_TRUE(rule_allows(one, "get", "", "secrets", "a"));
  EXPECT_TRUE(rule_allows(one, "watch", "", "secrets", "a"));
  EXPECT_FALSE(rule_allows(one, "get", "", "secrets", "b"));
  EXPECT_FALSE(rule_allows(one, "list", "", "secrets"));
  EXPECT_FALSE(rule_allows(one, "create", "", "secrets"));
  EXPECT_FALSE(rule_allows(one, "deletecollection", "", "secrets"));
}

TEST(PolicyRule, PathsMayEndInAStar) {
  const PolicyRule paths =
      rule("{nonResourceURLs: [/metrics, /logs/*, /debug*], verbs: [get], apiGroups: ['*']}");
  const auto allowed = [&](const std::string& path) {
    return allows(paths, access_to("GET", path), "");
  };
  EXPECT_TRUE(allowed("/metrics"));
  EXPECT_FALSE(allowed("/metrics/slis"));
  EXPECT_TRUE(allowed("/logs/"));
  EXPECT_TRUE(allowed("/logs/a/b"));
  EXPECT_FALSE(allowed("/logs"));
  EXPECT_TRUE(allowed("/debug/pprof"));
  EXPECT_FALSE(allowed("/"));
  EXPECT_FALSE(allows(paths, access_to("POST", "/metrics"), ""));
  EXPECT_TRUE(allows(rule("{nonResourceURLs: ['*'], verbs: ['*']}"), access_to("PUT", "/x"), ""));
  EXPECT_FALSE(allows(rule("{apiGroups: ['*'], resources: ['*'], verbs: ['*']}"),
                      access_to("GET", "/x"), ""));
}

TEST(PolicyRule, WhatIsNoListOfTextsAllowsNothing) {
  const PolicyRule odd = rule("{apiGroups: '', resources: {pods: true}, verbs: [1, null]}");
  EXPECT_FALSE(rule_allows(odd, "get", "", "pods"));
}

TEST(PolicyRule, FindsWhatIsNotHeld) {
  const std::vector<PolicyRule> held{
      rule("{apiGroups: ['', apps], resources: [pods, '*/scale'], verbs: [get, list]}"),
      rule("{apiGroups: [''], resources: [secrets], resourceNames: [a, b], verbs: ['*']}"),
      rule("{nonResourceURLs: [/logs/*], verbs: [get]}")};
  const auto missing = [&](const std::string& wanted) {
    return describe(not_covered(held, {rule(wanted)}));
  };
  EXPECT_EQ(missing("{apiGroups: [''], resources: [pods], verbs: [list]}"), "");
  EXPECT_EQ(missing("{apiGroups: [''], resources: [pods], resourceNames: [x], verbs: [get]}"), "");
  EXPECT_EQ(missing("{apiGroups: [apps], resources: [deployments/scale], verbs: [get]}"), "");
  EXPECT_EQ(missing("{apiGroups: [''], resources: [secrets], resourceNames: [a], verbs: [get]}"),
            "");
  EXPECT_EQ(missing("{nonResourceURLs: [/logs/x, '/logs/x*'], verbs: [get]}"), "");
  EXPECT_EQ(missing("{apiGroups: [''], resources: [pods], verbs: ['*', get, delete, watch]}"),
            R"({APIGroups:[""], Resources:["pods"], Verbs:["*" "delete" "watch"]})");
  EXPECT_EQ(missing("{apiGroups: ['*'], resources: [pods], verbs: [get]}"),
            R"({APIGroups:["*"], Resources:["pods"], Verbs:["get"]})");
  EXPECT_EQ(missing("{apiGroups: [''], resources: ['*'], verbs: [get]}"),
            R"({APIGroups:[""], Resources:["*"], Verbs:["get"]})");
  EXPECT_EQ(missing("{apiGroups: [''], resources: [secrets], verbs: [get]}"),
            R"({APIGroups:[""], Resources:["secrets"], Verbs:["get"]})");
  EXPECT_EQ(missing("{apiGroups: [''], resources: [secrets], resourceNames: [a, c], verbs: [get]}"),
            R"({APIGroups:[""], Resources:["secrets"], ResourceNames:["c"], Verbs:["get"]})");
  EXPECT_EQ(missing("{nonResourceURLs: [/logs, '/*'], verbs: [get]}"),
            "{NonResourceURLs:[\"/*\"], Verbs:[\"get\"]}\n"
            "{NonResourceURLs:[\"/logs\"], Verbs:[\"get\"]}");
}

TEST(PolicyRule, GoesThroughJson) {
  const PolicyRule full = rule(
      "{verbs: [get], apiGroups: [''], resources: [pods], resourceNames: [a], nonResourceURLs: "
      "[/x]}");
  EXPECT_EQ(read_rule(to_json(full)), full);
  EXPECT_EQ(to_text(to_json(rule("{verbs: [get], nonResourceURLs: [/x]}"))),
            R"({"verbs":["get"],"nonResourceURLs":["/x"]})");
}

}  // namespace
}  // namespace trainyard::server
