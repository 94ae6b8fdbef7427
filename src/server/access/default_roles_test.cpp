#include "server/access/rbac.h"
#include "server/access/role_aggregation.h"
#include "server/test_store.h"

#include <array>
#include <set>

namespace trainyard::server {
namespace {

struct Verb {
  char letter;
  const char* name;
};
constexpr std::array<Verb, 9> kVerbs{{{'g', "get"},
                                      {'l', "list"},
                                      {'w', "watch"},
                                      {'c', "create"},
                                      {'u', "update"},
                                      {'p', "patch"},
                                      {'d', "delete"},
                                      {'D', "deletecollection"},
                                      {'i', "impersonate"}}};

constexpr const char* kRead = "glw";
constexpr const char* kAll = "glwcupdD";
constexpr const char* kNone = "";

/// Which verbs the roles have on a resource. Nobody has none, cluster-admin has all.
struct Row {
  const char* group;
  const char* resource;
  const char* view;
  const char* edit;
  const char* admin;
};
constexpr const char* kBatch = "batch.tensorstack.dev";
constexpr const char* kTensorstack = "tensorstack.dev";
constexpr const char* kKubeflow = "kubeflow.org";
constexpr const char* kVolcano = "scheduling.volcano.sh";
constexpr const char* kRbac = "rbac.authorization.k8s.io";

constexpr Row kTable[] = {
    // Kubernetes' own kinds
    {"", "pods", kRead, kAll, kAll},
    {"", "pods/log", kRead, kRead, kRead},
    {"", "pods/status", kRead, kRead, kRead},
    {"", "pods/exec", kNone, kAll, kAll},
    {"", "pods/attach", kNone, kAll, kAll},
    {"", "pods/eviction", kNone, "c", "c"},
    {"", "pods/binding", kNone, kNone, kNone},
    {"", "configmaps", kRead, kAll, kAll},
    {"", "secrets", kNone, kAll, kAll},
    {"", "services", kRead, kAll, kAll},
    {"", "services/status", kRead, kRead, kRead},
    {"", "endpoints", kRead, kRead, kRead},
    {"", "events", kRead, kAll, kAll},
    {"", "persistentvolumeclaims", kRead, kAll, kAll},
    {"", "persistentvolumeclaims/status", kRead, kRead, kRead},
    {"", "serviceaccounts", kRead, "glwcupdDi", "glwcupdDi"},
    {"", "serviceaccounts/token", kNone, "c", "c"},
    {"", "resourcequotas", kRead, kRead, kRead},
    {"", "limitranges", kRead, kRead, kRead},
    {"", "namespaces", kRead, kRead, kRead},
    {"", "namespaces/finalize", kNone, kNone, kNone},
    {"", "nodes", kNone, kNone, kNone},
    {"", "persistentvolumes", kNone, kNone, kNone},
    {"", "users", kNone, kNone, kNone},
    {"", "groups", kNone, kNone, kNone},
    {"apps", "deployments", kRead, kAll, kAll},
    {"apps", "deployments/scale", kRead, kAll, kAll},
    {"apps", "deployments/status", kRead, kRead, kRead},
    {"apps", "replicasets", kRead, kAll, kAll},
    {"apps", "statefulsets", kRead, kAll, kAll},
    {"batch", "jobs", kRead, kAll, kAll},
    {"batch", "jobs/status", kRead, kRead, kRead},
    {"batch", "cronjobs", kRead, kAll, kAll},
    {"coordination.k8s.io", "leases", kNone, kAll, kAll},
    {"events.k8s.io", "events", kRead, kRead, kRead},
    {"metrics.k8s.io", "pods", kRead, kRead, kRead},
    {"metrics.k8s.io", "nodes", kNone, kNone, kNone},
    {"usage.trainyard.dev", "podusages", kRead, kRead, kRead},
    {"scheduling.k8s.io", "priorityclasses", kNone, kNone, kNone},
    {"storage.k8s.io", "storageclasses", kNone, kNone, kNone},
    {"apiextensions.k8s.io", "customresourcedefinitions", kNone, kNone, kNone},
    {"example.com", "widgets", kNone, kNone, kNone},
    // access itself
    {kRbac, "roles", kNone, kNone, kAll},
    {kRbac, "rolebindings", kNone, kNone, kAll},
    {kRbac, "clusterroles", kNone, kNone, kNone},
    {kRbac, "clusterrolebindings", kNone, kNone, kNone},
    {"authorization.k8s.io", "localsubjectaccessreviews", kNone, kNone, "c"},
    {"authorization.k8s.io", "subjectaccessreviews", kNone, kNone, kNone},
    {"authentication.k8s.io", "tokenreviews", kNone, kNone, kNone},
    // the job kinds
    {kBatch, "pytorchtrainingjobs", kRead, kAll, kAll},
    {kBatch, "pytorchtrainingjobs/status", kRead, kRead, kRead},
    {kBatch, "pytorchtrainingjobs/scale", kRead, kAll, kAll},
    {kBatch, "mpijobs", kRead, kAll, kAll},
    {kBatch, "tensorflowtrainingjobs", kRead, kAll, kAll},
    {kBatch, "xgboosttrainingjobs", kRead, kAll, kAll},
    {kBatch, "genericjobs", kRead, kAll, kAll},
    {kBatch, "deepspeedjobs", kRead, kAll, kAll},
    {kTensorstack, "tensorboards", kRead, kAll, kAll},
    {kTensorstack, "notebooks", kRead, kAll, kAll},
    {kTensorstack, "notebooks/status", kRead, kRead, kRead},
    {kKubeflow, "pytorchjobs", kRead, kAll, kAll},
    {kKubeflow, "pytorchjobs/status", kRead, kRead, kRead},
    {kKubeflow, "tfjobs", kRead, kAll, kAll},
    {kKubeflow, "mpijobs", kRead, kAll, kAll},
    {kKubeflow, "mpijobs/scale", kRead, kAll, kAll},
    {kVolcano, "podgroups", kRead, kAll, kAll},
    {kVolcano, "podgroups/status", kRead, kRead, kRead},
    {kVolcano, "queues", kRead, kRead, kRead},
};

class DefaultRolesTest : public StoreTest {
 protected:
  DefaultRolesTest() : rbac_(*store_) {
    for (Json& object : default_roles()) put(std::move(object));
    for (const char* role : {"view", "edit", "admin", "cluster-admin", "kubeflow-view",
                             "kubeflow-edit", "kubeflow-admin"}) {
      bind(role, "team", std::string("local-") + role);
      bind(role, "", std::string("global-") + role);
    }
  }
  void bind(const std::string& role, const std::string& ns, const std::string& user) {
    Json binding{{"apiVersion", "rbac.authorization.k8s.io/v1"},
                 {"kind", ns.empty() ? "ClusterRoleBinding" : "RoleBinding"},
                 {"metadata", {{"name", user}}},
                 {"roleRef", {{"kind", "ClusterRole"}, {"name", role}}},
                 {"subjects", {{{"kind", "User"}, {"name", user}}}}};
    if (!ns.empty()) make_path(binding, "metadata.namespace") = ns;
    put(std::move(binding));
  }
  /// The letters of the verbs that somebody has on a resource in a namespace.
  std::string verbs(const std::string& user, const Row& row, const std::string& ns) {
    Access access;
    const std::string resource = row.resource;
    access.resource.group = row.group;
    access.resource.plural = resource.substr(0, resource.find('/'));
    if (const std::size_t slash = resource.find('/'); slash != std::string::npos) {
      access.subresource = resource.substr(slash + 1);
    }
    access.key = Key{ns, "x"};
    std::string letters;
    for (const Verb& verb : kVerbs) {
      access.verb = verb.name;
      if (rbac_.check(make_user(user), access)) letters += verb.letter;
    }
    return letters;
  }
  /// A person bound to a role in a namespace, and one bound everywhere, have these verbs.
  void expect(const std::string& role, const Row& row, const std::string& expected) {
    const std::string what = role + " " + row.group + "/" + row.resource;
    EXPECT_EQ(verbs("local-" + role, row, "team"), expected) << what << " in its namespace";
    EXPECT_EQ(verbs("local-" + role, row, "other"), "") << what << " elsewhere";
    EXPECT_EQ(verbs("local-" + role, row, ""), "") << what << " in all namespaces";
    for (const char* ns : {"team", "other", ""}) {
      EXPECT_EQ(verbs("global-" + role, row, ns), expected) << what << " bound everywhere";
    }
  }

  Rbac rbac_;
};

TEST_F(DefaultRolesTest, GiveWhatTheTableSays) {
  for (const Row& row : kTable) {
    expect("view", row, row.view);
    expect("edit", row, row.edit);
    expect("admin", row, row.admin);
    expect("kubeflow-view", row, row.view);
    expect("kubeflow-edit", row, row.edit);
    expect("kubeflow-admin", row, row.admin);
    expect("cluster-admin", row, "glwcupdDi");
    EXPECT_EQ(verbs("nobody", row, "team"), "") << row.resource;
    EXPECT_EQ(verbs("nobody", row, ""), "") << row.resource;
  }
}

TEST_F(DefaultRolesTest, EachHasAllThatTheLesserHas) {
  const auto rules = [&](const char* role) {
    return rbac_.rules_for(make_user(std::string("local-") + role), "team");
  };
  EXPECT_EQ(describe(not_covered(rules("edit"), rules("view"))), "");
  EXPECT_EQ(describe(not_covered(rules("admin"), rules("edit"))), "");
  EXPECT_EQ(describe(not_covered(rules("cluster-admin"), rules("admin"))), "");
  EXPECT_NE(describe(not_covered(rules("view"), rules("edit"))), "");
}

TEST_F(DefaultRolesTest, AnAdminOfANamespaceMayBindItsRolesAndNoMore) {
  const auto bound = [&](const char* role, const std::string& ns) {
    const Json binding{{"kind", "RoleBinding"},
                       {"metadata", {{"name", "b"}, {"namespace", ns}}},
                       {"roleRef", {{"kind", "ClusterRole"}, {"name", role}}}};
    return rbac_.check_escalation(make_user("local-admin"), binding, nullptr).has_value();
  };
  EXPECT_TRUE(bound("view", "team"));
  EXPECT_TRUE(bound("edit", "team"));
  EXPECT_TRUE(bound("admin", "team"));
  EXPECT_FALSE(bound("cluster-admin", "team"));
  EXPECT_FALSE(bound("view", "other"));
}

bool may_get(const Rbac& rbac, const User& user, const std::string& path) {
  return rbac.check(user, access_to("GET", path)).has_value();
}

TEST_F(DefaultRolesTest, EverybodyKnownMayDiscoverAndAskAboutThemselves) {
  const User nobody = make_user("nobody");
  for (const char* path : {"/api", "/api/v1", "/apis", "/apis/kubeflow.org/v1", "/openapi/v2",
                           "/openapi/v3/api/v1", "/version", "/livez", "/readyz", "/healthz"}) {
    EXPECT_TRUE(may_get(rbac_, nobody, path)) << path;
    EXPECT_FALSE(rbac_.check(nobody, access_to("POST", path))) << path;
  }
  EXPECT_TRUE(rbac_.check(nobody, access_to("POST", "/login-links")));
  for (const char* path : {"/metrics", "/", "/logs", "/debug/pprof"}) {
    EXPECT_FALSE(may_get(rbac_, nobody, path)) << path;
    EXPECT_TRUE(may_get(rbac_, make_user("global-cluster-admin"), path)) << path;
  }
  EXPECT_TRUE(may_get(rbac_, make_user("prometheus", {"system:monitoring"}), "/metrics"));
  const Row self_access{"authorization.k8s.io", "selfsubjectaccessreviews", "", "", ""};
  const Row self_rules{"authorization.k8s.io", "selfsubjectrulesreviews", "", "", ""};
  const Row self{"authentication.k8s.io", "selfsubjectreviews", "", "", ""};
  for (const Row& row : {self_access, self_rules, self}) EXPECT_EQ(verbs("nobody", row, ""), "c");
}

TEST_F(DefaultRolesTest, TheUnknownMayAskWhetherTheServerIsThere) {
  User unknown;
  unknown.name = kAnonymous;
  unknown.groups.emplace_back(kUnauthenticated);
  for (const char* path : {"/livez", "/readyz", "/healthz", "/version"}) {
    EXPECT_TRUE(may_get(rbac_, unknown, path)) << path;
  }
  EXPECT_FALSE(rbac_.check(unknown, access_to("POST", "/login-links")));
  for (const char* path : {"/api", "/apis", "/openapi/v2", "/metrics"}) {
    EXPECT_FALSE(may_get(rbac_, unknown, path)) << path;
  }
}

TEST(DefaultRoles, AreWholeObjectsThatShowTheirRules) {
  std::set<std::pair<std::string, std::string>> seen;
  for (const Json& role : default_roles()) {
    const std::string name(name_of(role));
    const std::string kind(string_at(role, "kind"));
    EXPECT_TRUE(seen.emplace(kind, name).second) << name;
    EXPECT_EQ(string_at(role, "apiVersion"), "rbac.authorization.k8s.io/v1") << name;
    EXPECT_EQ(label_of(role, "kubernetes.io/bootstrapping"), "rbac-defaults") << name;
    EXPECT_EQ(annotation_of(role, "rbac.authorization.kubernetes.io/autoupdate"), "true") << name;
    EXPECT_FALSE(array_at(role, kind == "ClusterRole" ? "rules" : "subjects").empty()) << name;
  }
  EXPECT_TRUE(seen.contains({"ClusterRole", "view"}));
  EXPECT_TRUE(seen.contains({"ClusterRoleBinding", "cluster-admin"}));
}

TEST_F(DefaultRolesTest, NeedNoFurtherAggregation) {
  const std::int64_t revision = store_->revision();
  ASSERT_TRUE(loop_.run(write_aggregated_rules(*store_)));
  EXPECT_EQ(store_->revision(), revision);
}

TEST(DefaultRoles, GainWhatANewerVersionGivesThem) {
  const Json rule_a{{"verbs", {"get"}}, {"nonResourceURLs", {"/a"}}};
  const Json rule_b{{"verbs", {"get"}}, {"nonResourceURLs", {"/b"}}};
  const Json own{{"verbs", {"get"}}, {"nonResourceURLs", {"/own"}}};
  Json annotations = JsonObject{{"rbac.authorization.kubernetes.io/autoupdate", "true"}};
  const Json wanted{{"kind", "ClusterRole"}, {"rules", {rule_a, rule_b}}};
  Json stored{{"kind", "ClusterRole"},
              {"metadata", {{"annotations", annotations}}},
              {"rules", {own, rule_a}}};
  const auto updated = updated_default_role(stored, wanted);
  ASSERT_TRUE(updated);
  EXPECT_EQ(array_at(*updated, "rules"), (JsonArray{own, rule_a, rule_b}));
  EXPECT_FALSE(updated_default_role(*updated, wanted)) << "once is enough";
  make_path(stored, "metadata.annotations") =
      JsonObject{{"rbac.authorization.kubernetes.io/autoupdate", "false"}};
  EXPECT_FALSE(updated_default_role(stored, wanted)) << "somebody has taken it over";
}

/// Whoever may create a notebook, or a pod with its account, gets these rights.
TEST(DefaultRoles, ANotebookMayDoNoMoreThanItsOwner) {
  std::vector<PolicyRule> notebook;
  std::vector<PolicyRule> edit;
  for (const Json& role : default_roles()) {
    const std::vector<PolicyRule> rules = read_rules(array_at(role, "rules"));
    auto& wanted = name_of(role) == "trainyard:notebook" ? notebook : edit;
    const bool for_editors =
        label_of(role, "rbac.authorization.k8s.io/aggregate-to-edit") == "true" ||
        label_of(role, "rbac.authorization.k8s.io/aggregate-to-view") == "true";
    if (&wanted == &notebook || for_editors)
      wanted.insert(wanted.end(), rules.begin(), rules.end());
  }
  ASSERT_FALSE(notebook.empty());
  EXPECT_EQ(describe(not_covered(edit, notebook)), "");
  PolicyRule secrets;
  secrets.verbs = {"get"};
  secrets.api_groups = {""};
  secrets.resources = {"secrets"};
  EXPECT_FALSE(not_covered(notebook, {secrets}).empty());
}

}  // namespace
}  // namespace trainyard::server
