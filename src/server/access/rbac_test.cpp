#include "server/access/rbac.h"

#include "server/access/role_aggregation.h"
#include "server/test_store.h"

#include <chrono>

namespace trainyard::server {
namespace {

constexpr const char* kVersion = "rbac.authorization.k8s.io/v1";

Json rbac_object(const char* kind, const Key& key, const std::string& fields) {
  Json object = from_yaml(fields);
  object.get_object()["apiVersion"] = kVersion;
  object.get_object()["kind"] = kind;
  Json metadata{{"name", key.name}};
  if (!key.ns.empty()) metadata.get_object()["namespace"] = key.ns;
  object.get_object()["metadata"] = std::move(metadata);
  return object;
}

Json role(const Key& key, const std::string& rules) {
  return rbac_object(key.ns.empty() ? "ClusterRole" : "Role", key, "rules: " + rules);
}

Json binding(const Key& key, const std::string& role_kind, const std::string& role_name,
             const std::string& subjects) {
  return rbac_object(key.ns.empty() ? "ClusterRoleBinding" : "RoleBinding", key,
                     "{roleRef: {apiGroup: rbac.authorization.k8s.io, kind: " + role_kind +
                         ", name: " + role_name + "}, subjects: " + subjects + "}");
}

constexpr const char* kReadPods = "[{apiGroups: [''], resources: [pods], verbs: [get, list]}]";

class RbacTest : public StoreTest {
 protected:
  RbacTest() : rbac_(*store_) {}

  static Access access(const std::string& verb, const std::string& resource, const Key& key) {
    Access wanted;
    wanted.verb = verb;
    wanted.resource.plural = resource;
    wanted.key = key;
    return wanted;
  }
  bool may(const User& user, const std::string& verb, const std::string& resource, const Key& key) {
    return rbac_.check(user, access(verb, resource, key)).has_value();
  }
  bool may_get_pods(const User& user, const std::string& ns) {
    return may(user, "get", "pods", Key{ns, "x"});
  }

  Rbac rbac_;
};

TEST_F(RbacTest, WithoutRolesOnlyMastersMayAnything) {
  EXPECT_FALSE(may_get_pods(make_user("ann"), "team"));
  EXPECT_FALSE(may_get_pods(User(), "team"));
  EXPECT_TRUE(may_get_pods(make_user("ann", {"system:masters"}), "team"));
  EXPECT_TRUE(rbac_.check(admin_user(), access_to("DELETE", "/anything")));
  EXPECT_FALSE(may_get_pods(make_user("system:masters"), "team")) << "a name is not a group";
}

TEST_F(RbacTest, ARoleBindingReachesAsFarAsItsNamespace) {
  put(role({"", "pod-reader"}, kReadPods));
  put(binding({"team", "b"}, "ClusterRole", "pod-reader", "[{kind: User, name: ann}]"));
  EXPECT_TRUE(may_get_pods(make_user("ann"), "team"));
  EXPECT_FALSE(may_get_pods(make_user("ann"), "other"));
  EXPECT_FALSE(may(make_user("ann"), "list", "pods", Key{"", ""}));
  EXPECT_FALSE(may_get_pods(make_user("bob"), "team"));
  EXPECT_FALSE(may(make_user("ann"), "delete", "pods", Key{"team", "x"}));
}

TEST_F(RbacTest, AClusterRoleBindingReachesEverywhere) {
  put(role({"", "pod-reader"}, kReadPods));
  put(binding({"", "b"}, "ClusterRole", "pod-reader", "[{kind: User, name: ann}]"));
  EXPECT_TRUE(may_get_pods(make_user("ann"), "team"));
  EXPECT_TRUE(may(make_user("ann"), "list", "pods", Key{"", ""}));
}

TEST_F(RbacTest, ARoleIsBoundOnlyWhereItIs) {
  put(role({"team", "r"}, kReadPods));
  put(binding({"team", "b"}, "Role", "r", "[{kind: User, name: ann}]"));
  put(binding({"other", "b"}, "Role", "r", "[{kind: User, name: ann}]"));
  put(binding({"", "b"}, "Role", "r", "[{kind: User, name: ann}]"));
  EXPECT_TRUE(may_get_pods(make_user("ann"), "team"));
  EXPECT_FALSE(may_get_pods(make_user("ann"), "other"));
  EXPECT_FALSE(may_get_pods(make_user("ann"), ""));
}

TEST_F(RbacTest, SubjectsAreUsersGroupsAndServiceAccounts) {
  put(role({"", "r"}, kReadPods));
  put(binding({"team", "group"}, "ClusterRole", "r", "[{kind: Group, name: devs}]"));
  put(binding({"team", "account"}, "ClusterRole", "r",
              "[{kind: ServiceAccount, name: near}, "
              "{kind: ServiceAccount, name: far, namespace: other}]"));
  put(binding({"", "nowhere"}, "ClusterRole", "r", "[{kind: ServiceAccount, name: lost}]"));
  EXPECT_TRUE(may_get_pods(make_user("x", {"devs"}), "team"));
  EXPECT_FALSE(may_get_pods(make_user("devs"), "team"));
  EXPECT_TRUE(may_get_pods(make_user("system:serviceaccount:team:near"), "team"));
  EXPECT_TRUE(may_get_pods(make_user("system:serviceaccount:other:far"), "team"));
  EXPECT_FALSE(may_get_pods(make_user("system:serviceaccount:team:far"), "team"));
  EXPECT_FALSE(may_get_pods(make_user("near"), "team"));
  EXPECT_FALSE(may_get_pods(make_user("system:serviceaccount::lost"), "team"));
}

TEST_F(RbacTest, EveryChangeOfARoleOrBindingCountsAtOnce) {
  const User ann = make_user("ann");
  put(binding({"team", "b"}, "Role", "r", "[{kind: User, name: ann}]"));
  EXPECT_FALSE(may_get_pods(ann, "team"));
  put(role({"team", "r"}, kReadPods));
  EXPECT_TRUE(may_get_pods(ann, "team"));
  put(role({"team", "r"}, "[]"));
  EXPECT_FALSE(may_get_pods(ann, "team"));
  put(role({"team", "r"}, kReadPods));
  EXPECT_TRUE(may_get_pods(ann, "team"));
  remove("rbac.authorization.k8s.io/rolebindings", {"team", "b"});
  EXPECT_FALSE(may_get_pods(ann, "team"));
  put(role({"", "c"}, kReadPods));
  put(binding({"", "b"}, "ClusterRole", "c", "[{kind: User, name: ann}]"));
  EXPECT_TRUE(may_get_pods(ann, "team"));
  remove("rbac.authorization.k8s.io/clusterroles", {"", "c"});
  EXPECT_FALSE(may_get_pods(ann, "team"));
}

TEST_F(RbacTest, SaysWhichRoleIsBoundAndDoesNotExist) {
  put(binding({"team", "b"}, "Role", "gone", "[{kind: User, name: ann}]"));
  EXPECT_EQ(rbac_.check(make_user("ann"), access("get", "pods", {"team", "x"})).error().message(),
            "pods \"x\" is forbidden: User \"ann\" cannot get resource \"pods\" in API group \"\" "
            "in the namespace \"team\": RBAC: role.rbac.authorization.k8s.io \"gone\" not found");
  put(binding({"", "c"}, "ClusterRole", "lost", "[{kind: User, name: ann}]"));
  EXPECT_EQ(rbac_.decide(make_user("ann"), access("get", "pods", {"team", "x"})).reason,
            "RBAC: [clusterrole.rbac.authorization.k8s.io \"lost\" not found, "
            "role.rbac.authorization.k8s.io \"gone\" not found]");
  EXPECT_EQ(rbac_.decide(make_user("bob"), access("get", "pods", {"team", "x"})).reason, "");
}

TEST_F(RbacTest, SaysWhichBindingAllowsIt) {
  put(role({"", "r"}, kReadPods));
  put(binding({"team", "b"}, "ClusterRole", "r", "[{kind: ServiceAccount, name: sa}]"));
  EXPECT_EQ(
      rbac_.decide(make_user("system:serviceaccount:team:sa"), access("get", "pods", {"team", "x"}))
          .reason,
      "RBAC: allowed by RoleBinding \"b/team\" of ClusterRole \"r\" to ServiceAccount "
      "\"sa/team\"");
}

TEST_F(RbacTest, RulesForAreThoseOfTheClusterAndOfTheNamespace) {
  put(role({"", "r"}, kReadPods));
  put(role({"team", "s"}, "[{apiGroups: [''], resources: [secrets], verbs: [get]}]"));
  put(binding({"", "b"}, "ClusterRole", "r", "[{kind: User, name: ann}]"));
  put(binding({"team", "b"}, "Role", "s", "[{kind: Group, name: devs}]"));
  const User ann = make_user("ann", {"devs"});
  EXPECT_EQ(rbac_.rules_for(ann, "team").size(), 2U);
  EXPECT_EQ(rbac_.rules_for(ann, "other").size(), 1U);
  EXPECT_EQ(rbac_.rules_for(make_user("bob"), "team").size(), 0U);
}

TEST_F(RbacTest, MalformedObjectsAllowNothing) {
  put(rbac_object("ClusterRole", {"", "r"}, "{rules: [null, 3, {verbs: '*'}, []]}"));
  put(rbac_object("RoleBinding", {"team", "a"}, "{subjects: [{kind: User, name: ann}]}"));
  put(rbac_object("RoleBinding", {"team", "b"}, "{roleRef: [], subjects: {kind: User}}"));
  put(binding({"team", "c"}, "Rolle", "r", "[{kind: User, name: ann}, null, {}]"));
  put(binding({"team", "d"}, "ClusterRole", "r", "[{kind: User, name: ann}, {kind: User}]"));
  EXPECT_FALSE(may_get_pods(make_user("ann"), "team"));
}

// ---- aggregation --------------------------------------------------------------------------------

Json aggregate(const std::string& name, const std::string& selectors, const std::string& label) {
  Json made = rbac_object("ClusterRole", {"", name},
                          "aggregationRule: {clusterRoleSelectors: " + selectors + "}");
  if (!label.empty()) make_path(made, "metadata.labels").emplace_object()[label] = "true";
  return made;
}

Json labelled(Json made, const std::string& label) {
  make_path(made, "metadata.labels").emplace_object()[label] = "true";
  return made;
}

TEST_F(RbacTest, AggregatedRolesHaveTheRulesOfThoseTheySelect) {
  put(aggregate("outer", "[{matchLabels: {to-outer: 'true'}}]", ""));
  put(aggregate("inner", "[{matchExpressions: [{key: to-inner, operator: Exists}]}]", "to-outer"));
  put(labelled(role({"", "pods"}, kReadPods), "to-inner"));
  put(binding({"", "b"}, "ClusterRole", "outer", "[{kind: User, name: ann}]"));
  EXPECT_TRUE(may_get_pods(make_user("ann"), "team")) << "through inner";
  put(role({"", "pods"}, kReadPods));
  EXPECT_FALSE(may_get_pods(make_user("ann"), "team")) << "without its label";
}

TEST_F(RbacTest, ACircleOfAggregationEnds) {
  put(aggregate("a", "[{matchLabels: {x: 'true'}}]", "x"));
  put(aggregate("b", "[{matchLabels: {x: 'true'}}, {}]", "x"));
  put(labelled(role({"", "pods"}, kReadPods), "x"));
  put(binding({"", "b"}, "ClusterRole", "a", "[{kind: User, name: ann}]"));
  EXPECT_TRUE(may_get_pods(make_user("ann"), "team"));
}

TEST_F(RbacTest, TheRulesOfAnAggregatedRoleAreNotItsOwn) {
  Json made = aggregate("a", "[{matchLabels: {x: 'true'}}]", "");
  made.get_object()["rules"] = from_yaml(kReadPods);
  put(made);
  put(binding({"", "b"}, "ClusterRole", "a", "[{kind: User, name: ann}]"));
  EXPECT_FALSE(may_get_pods(make_user("ann"), "team"));
}

TEST_F(RbacTest, AggregatedRulesAreWrittenForPeopleToSee) {
  put(aggregate("a", "[{matchLabels: {x: 'true'}}]", ""));
  put(labelled(role({"", "pods"}, kReadPods), "x"));
  ASSERT_TRUE(loop_.run(write_aggregated_rules(*store_)));
  const auto stored = store_->get("rbac.authorization.k8s.io/clusterroles", {"", "a"});
  EXPECT_EQ(to_text(array_at(stored->body(), "rules")),
            R"([{"verbs":["get","list"],"apiGroups":[""],"resources":["pods"]}])");
  const std::int64_t revision = store_->revision();
  ASSERT_TRUE(loop_.run(write_aggregated_rules(*store_)));
  EXPECT_EQ(store_->revision(), revision) << "nothing to write";
}

// ---- escalation ---------------------------------------------------------------------------------

class EscalationTest : public RbacTest {
 protected:
  EscalationTest() {
    put(role({"", "pod-reader"}, kReadPods));
    put(role({"", "secret-reader"}, kReadSecrets));
    put(role({"team", "local"}, kReadPods));
    // Not the verb `*`, which would include escalate and bind.
    put(role({"", "namespace-admin"},
             "[{apiGroups: [''], resources: [pods], verbs: [get, list]}, "
             "{apiGroups: [rbac.authorization.k8s.io], resources: [roles, rolebindings], "
             "verbs: [create, update]}]"));
    put(binding({"team", "ann"}, "ClusterRole", "namespace-admin", "[{kind: User, name: ann}]"));
    put(role({"", "everything"},
             "[{apiGroups: ['*'], resources: ['*'], verbs: ['*']}, "
             "{nonResourceURLs: ['*'], verbs: ['*']}]"));
    put(binding({"", "root"}, "ClusterRole", "everything", "[{kind: User, name: root}]"));
  }
  Result<> check(const Json& object, const Json* before = nullptr) {
    return rbac_.check_escalation(make_user("ann", {"devs"}), object, before);
  }

  static constexpr const char* kReadSecrets =
      "[{apiGroups: [''], resources: [secrets], verbs: [get, list]}]";
};

TEST_F(EscalationTest, WhatOneHasMayBeGivenAway) {
  EXPECT_TRUE(check(role({"team", "r"}, kReadPods)));
  EXPECT_TRUE(check(binding({"team", "b"}, "ClusterRole", "pod-reader", "[]")));
  EXPECT_TRUE(check(binding({"team", "b"}, "Role", "local", "[]")));
}

TEST_F(EscalationTest, WhatOneHasNotMayNotBeGivenAway) {
  EXPECT_EQ(check(role({"team", "r"}, kReadSecrets)).error().message(),
            "roles.rbac.authorization.k8s.io \"r\" is forbidden: user \"ann\" (groups=[\"devs\" "
            "\"system:authenticated\"]) is attempting to grant RBAC permissions not currently "
            "held:\n{APIGroups:[\"\"], Resources:[\"secrets\"], Verbs:[\"get\" \"list\"]}");
  EXPECT_TRUE(check(role({"other", "r"}, kReadPods)).failed_with(Code::kForbidden));
  EXPECT_TRUE(check(role({"", "r"}, kReadPods)).failed_with(Code::kForbidden));
  const auto bound = check(binding({"team", "b"}, "ClusterRole", "secret-reader", "[]"));
  ASSERT_TRUE(bound.failed_with(Code::kForbidden));
  EXPECT_TRUE(bound.error().message().starts_with(
      "rolebindings.rbac.authorization.k8s.io \"b\" is forbidden: user \"ann\""));
  const auto everywhere = check(binding({"", "b"}, "ClusterRole", "pod-reader", "[]"));
  ASSERT_TRUE(everywhere.failed_with(Code::kForbidden));
  EXPECT_TRUE(everywhere.error().message().starts_with("clusterrolebindings."));
}

TEST_F(EscalationTest, MastersAndWhoMayDoEverythingMayGiveEverything) {
  const Json all = role({"", "r"}, "[{apiGroups: ['*'], resources: ['*'], verbs: ['*']}]");
  EXPECT_TRUE(rbac_.check_escalation(admin_user(), all, nullptr));
  EXPECT_TRUE(rbac_.check_escalation(make_user("root"), all, nullptr));
  const Json gathers = aggregate("a", "[{matchLabels: {x: 'true'}}]", "");
  EXPECT_TRUE(rbac_.check_escalation(make_user("root"), gathers, nullptr));
}

TEST_F(EscalationTest, TheVerbEscalateAllowsIt) {
  put(role({"team", "escalator"},
           "[{apiGroups: [rbac.authorization.k8s.io], resources: [roles], verbs: [escalate]}]"));
  put(binding({"team", "escalator"}, "Role", "escalator", "[{kind: User, name: ann}]"));
  EXPECT_TRUE(check(role({"team", "r"}, kReadSecrets)));
  EXPECT_FALSE(check(role({"other", "r"}, kReadSecrets)));
  EXPECT_FALSE(check(binding({"team", "b"}, "ClusterRole", "secret-reader", "[]")));
}

TEST_F(EscalationTest, EscalateByNameIsForRolesThatAreThere) {
  put(role({"team", "escalator"},
           "[{apiGroups: [rbac.authorization.k8s.io], resources: [roles], "
           "resourceNames: [r], verbs: [escalate]}]"));
  put(binding({"team", "escalator"}, "Role", "escalator", "[{kind: User, name: ann}]"));
  const Json wanted = role({"team", "r"}, kReadSecrets);
  const Json before = role({"team", "r"}, kReadPods);
  EXPECT_FALSE(check(wanted));
  EXPECT_TRUE(check(wanted, &before));
}

TEST_F(EscalationTest, TheVerbBindAllowsOneRole) {
  put(role({"team", "binder"},
           "[{apiGroups: [rbac.authorization.k8s.io], resources: [clusterroles], "
           "resourceNames: [secret-reader, gone], verbs: [bind]}]"));
  put(binding({"team", "binder"}, "Role", "binder", "[{kind: User, name: ann}]"));
  EXPECT_TRUE(check(binding({"team", "b"}, "ClusterRole", "secret-reader", "[]")));
  EXPECT_TRUE(check(binding({"team", "b"}, "ClusterRole", "gone", "[]")));
  EXPECT_FALSE(check(binding({"team", "b"}, "ClusterRole", "everything", "[]")));
  EXPECT_FALSE(check(binding({"other", "b"}, "ClusterRole", "secret-reader", "[]")));
}

TEST_F(EscalationTest, ARoleThatDoesNotExistCannotBeBound) {
  const auto missing = check(binding({"team", "b"}, "Role", "gone", "[]"));
  ASSERT_TRUE(missing.failed_with(Code::kNotFound));
  EXPECT_EQ(missing.error().message(), "roles.rbac.authorization.k8s.io \"gone\" not found");
}

TEST_F(EscalationTest, AnUpdateThatGivesNothingNewPasses) {
  const Json before = role({"team", "r"}, kReadSecrets);
  Json after = before;
  make_path(after, "metadata.finalizers") = JsonArray{"x"};
  EXPECT_TRUE(check(after, &before)) << "garbage collection";
  make_path(after, "metadata.labels.a") = "b";
  EXPECT_FALSE(check(after, &before)) << "a label may aggregate it to another role";
}

TEST_F(EscalationTest, AggregationNeedsAllRights) {
  const Json gathers = aggregate("a", "[{matchLabels: {x: 'true'}}]", "");
  const Json plain = rbac_object("ClusterRole", {"", "a"}, "{}");
  EXPECT_EQ(check(gathers).error().message(),
            "clusterroles.rbac.authorization.k8s.io \"a\" is forbidden: must have cluster-admin "
            "privileges to use the aggregationRule");
  EXPECT_FALSE(check(plain, &gathers)) << "to take the rule away, too";
  EXPECT_TRUE(check(plain));
}

TEST_F(EscalationTest, OtherKindsPass) {
  EXPECT_TRUE(check(Json{{"kind", "Pod"}, {"metadata", {{"name", "x"}}}}));
}

// ---- cost ---------------------------------------------------------------------------------------

TEST_F(RbacTest, ADecisionCostsMicroseconds) {
  for (Json& object : default_roles()) put(std::move(object));
  for (int i = 0; i < 200; ++i) {
    const std::string n = std::to_string(i);
    put(binding({"ns-" + n, "b"}, "ClusterRole", "edit", "[{kind: User, name: user-" + n + "}]"));
  }
  const User user = make_user("user-77", {"devs", "all"});
  const Access last = access("delete", "leases", {"ns-77", "x"});
  const Access refused = access("get", "nodes", {"", "x"});
  ASSERT_FALSE(rbac_.check(user, refused));
  constexpr int kRounds = 20'000;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < kRounds; ++i) {
    static_cast<void>(rbac_.check(user, i % 2 == 0 ? last : refused));
  }
  const auto each = (std::chrono::steady_clock::now() - start) / kRounds;
  RecordProperty("nanoseconds", static_cast<int>(each.count()));
  EXPECT_LT(each, std::chrono::microseconds(200))
      << "it should be about one; this is for sanitizers";
}

}  // namespace
}  // namespace trainyard::server
