// What rights on a resource alone do not decide: by whom an object may come into being.
#include "contract/user_secret.h"
#include "server/test_server.h"
#include "server/test_store.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace trainyard::server {
namespace {

const Resource kSecrets{"", "v1", "secrets"};
const Resource kClusterRoles{"rbac.authorization.k8s.io", "v1", "clusterroles"};
const Resource kClusterRoleBindings{"rbac.authorization.k8s.io", "v1", "clusterrolebindings"};
const std::string kApply = "application/apply-patch+yaml";
const std::string kMap = "/api/v1/namespaces/default/configmaps/a?fieldManager=test";

class RestAccessTest : public ServerTest {
 protected:
  /// Lets ann do these verbs on these resources, everywhere.
  void grant(const std::string& verbs, const std::string& resources) {
    ASSERT_TRUE(create(kClusterRoles,
                       from_yaml(fmt::format("{{metadata: {{name: given}}, rules: [{{apiGroups: "
                                             "['*'], resources: [{}], verbs: [{}]}}]}}",
                                             resources, verbs))));
    ASSERT_TRUE(create(
        kClusterRoleBindings,
        from_yaml(
            "{metadata: {name: given}, subjects: [{kind: User, name: ann}],"
            " roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: given}}")));
  }

  http::Response ask_as_ann(const std::string& method, const std::string& target,
                            const std::string& body, const std::string& type) {
    FakeWriter writer;
    http::Request request = make_request(method, target, body, {{"Content-Type", type}});
    loop_.run(handler_.handle_as(make_user("ann"), std::move(request), writer));
    return writer.response;
  }

  awaitable<void> remove_map(bool& done) {
    const Key key{"default", "a"};
    DeleteRequest request;
    const auto removed = co_await verbs_.remove(kind_of(kConfigMaps), key, request);
    EXPECT_TRUE(removed);
    done = true;
  }
  awaitable<void> apply_map(FakeWriter& writer) {
    http::Request request =
        make_request("PATCH", kMap, to_text(make_config_map("a")), {{"Content-Type", kApply}});
    User ann = make_user("ann");
    co_await handler_.handle_as(std::move(ann), std::move(request), writer);
  }
};

TEST_F(RestAccessTest, ApplyCreatesOnlyWithTheRightToCreate) {
  grant("patch", "configmaps");
  const std::string body = to_text(make_config_map("a"));
  EXPECT_EQ(ask_as_ann("PATCH", kMap, body, kApply).status, 403);
  ASSERT_TRUE(create(kConfigMaps, make_config_map("a")));
  EXPECT_EQ(ask_as_ann("PATCH", kMap + "&force=true", body, kApply).status, 200);
}

TEST_F(RestAccessTest, ApplyDoesNotBringBackWhatWasDeletedWhileItWaited) {
  grant("patch", "configmaps");
  ASSERT_TRUE(create(kConfigMaps, make_config_map("a")));
  TaskGroup tasks(loop_.executor());
  FakeWriter writer;
  bool removed = false;
  // The deletion is under way, and not yet visible, when the apply looks for the object.
  tasks.spawn("remove", remove_map(removed));
  tasks.spawn("apply", apply_map(writer));
  loop_.run_until([&] { return removed && writer.finished; });
  loop_.run(tasks.stop());
  EXPECT_EQ(writer.response.status, 403) << writer.response.body;
  EXPECT_FALSE(verbs_.get(*kind_of(kConfigMaps), {"default", "a"}));
}

/// Secrets of kube-system, where people are kept.
class UserSecretTest : public RestAccessTest {
 protected:
  UserSecretTest() {
    EXPECT_TRUE(create(kNamespaces, from_yaml("{metadata: {name: kube-system}}")));
  }
  static Json person(const std::string& name) {
    return contract::make_user_secret({name, contract::hash_user_token("ty_0"), {}});
  }
  http::Response post(const Json& secret) {
    return ask_as_ann("POST", kAll, to_text(secret), "application/json");
  }
  bool exists(const std::string& name) {
    return verbs_.get(*kind_of(kSecrets), {"kube-system", name}).has_value();
  }
  void add_bob() {
    ASSERT_TRUE(loop_.run(verbs_.create(kind_of(kSecrets), "kube-system", person("bob"), {})));
  }

  const std::string kAll = "/api/v1/namespaces/kube-system/secrets";
};

TEST_F(UserSecretTest, WhoMayWriteSecretsMakesNobody) {
  grant("'*'", "secrets");
  const auto refused = post(person("eve"));
  EXPECT_EQ(refused.status, 403);
  EXPECT_NE(refused.body.find("only a cluster-admin"), std::string::npos) << refused.body;
  EXPECT_EQ(
      ask_as_ann("PATCH", kAll + "/user-eve?fieldManager=x", to_text(person("eve")), kApply).status,
      403);
  Json plain = person("eve");
  make_path(plain, "type") = "Opaque";
  EXPECT_EQ(post(plain).status, 201) << "a Secret that lets nobody in";
  EXPECT_EQ(ask_as_ann("PATCH", kAll + "/user-eve", R"({"type":"trainyard.dev/user"})",
                       "application/merge-patch+json")
                    .status /
                100,
            4)
      << "and that stays so";
}

TEST_F(UserSecretTest, WhoMayWriteSecretsNeitherBecomesNorRemovesSomebodyElse) {
  grant("'*'", "secrets");
  add_bob();
  EXPECT_EQ(ask_as_ann("PATCH", kAll + "/user-bob", R"({"data":{"token-sha256":"AAAA"}})",
                       "application/merge-patch+json")
                .status,
            403);
  EXPECT_EQ(
      ask_as_ann("PUT", kAll + "/user-bob", to_text(person("bob")), "application/json").status,
      403);
  EXPECT_EQ(ask_as_ann("DELETE", kAll + "/user-bob", "", "application/json").status, 403);
  EXPECT_EQ(ask_as_ann("DELETE", kAll, "", "application/json").status, 403);
  EXPECT_TRUE(exists("user-bob"));
}

TEST_F(UserSecretTest, WhoMayDoEverythingManagesPeople) {
  grant("'*'", "'*'");
  EXPECT_EQ(post(person("bob")).status, 201);
  EXPECT_EQ(ask_as_ann("DELETE", kAll + "/user-bob", "", "application/json").status, 200);
  EXPECT_FALSE(exists("user-bob"));
}

}  // namespace
}  // namespace trainyard::server
