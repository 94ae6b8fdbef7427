#include "server/access/auth.h"

#include "contract/user_secret.h"
#include "server/access/rbac.h"
#include "server/test_store.h"

namespace trainyard::server {
namespace {

using namespace std::chrono_literals;
using Groups = std::vector<std::string>;

class AuthTest : public StoreTest {
 protected:
  AuthTest()
      : signer_(*TokenSigner::make()), authenticator_("admin-secret", *store_, signer_, clock_) {
    put_yaml("{kind: ServiceAccount, metadata: {name: trainer, namespace: team, uid: u-1}}");
  }

  static http::Request request_with(const std::string& authorization) {
    http::Request request;
    if (!authorization.empty()) request.headers.add("Authorization", authorization);
    return request;
  }
  Result<User> ask(const std::string& authorization) {
    return authenticator_.authenticate(request_with(authorization));
  }
  /// Lets somebody in; the token.
  std::string add_person(const std::string& name, Groups groups = {}) {
    const std::string token = contract::make_user_token();
    Json secret =
        contract::make_user_secret({name, contract::hash_user_token(token), std::move(groups)});
    make_path(secret, "metadata.uid") = "uid-of-" + name;
    put(std::move(secret));
    return token;
  }
  std::string account_token(std::vector<std::string> audiences = {std::string(kTokenIssuer)}) {
    TokenClaims claims;
    claims.ns = "team";
    claims.account = {"trainer", "u-1"};
    claims.node = {"node-0", "n-1"};
    claims.audiences = std::move(audiences);
    claims.id = "j-1";
    claims.issued = clock_.wall();
    claims.expires = clock_.wall() + 1h;
    return *signer_.issue(claims);
  }

  TokenSigner signer_;
  Authenticator authenticator_;
};

TEST_F(AuthTest, KnowsTheAdministrator) {
  const auto user = ask("Bearer admin-secret");
  ASSERT_TRUE(user);
  EXPECT_EQ(user->name, "admin");
  EXPECT_EQ(user->groups, (Groups{"system:masters", "system:authenticated"}));
  EXPECT_TRUE(ask("bearer admin-secret")) << "the scheme has no case";
}

TEST_F(AuthTest, KnowsNobodyElse) {
  for (const char* authorization :
       {"", "Bearer", "Bearer ", "Bearer  ", "Bearer admin", "Bearer admin-secret2",
        "Bearer  admin-secret", "Basic admin-secret", "admin-secret", "Bearer ty_", "Bearer ty_x",
        "Bearer a.b.c"}) {
    const auto user = ask(authorization);
    EXPECT_TRUE(user.failed_with(Code::kUnauthorized)) << authorization;
    EXPECT_TRUE(user.error().message().starts_with("Unauthorized")) << user.error().message();
  }
}

TEST_F(AuthTest, KnowsPeopleByTheirToken) {
  const std::string ann = add_person("ann", {"team-a", "cn=x,ou=y"});
  const std::string bob = add_person("bob");
  EXPECT_TRUE(ann.starts_with("ty_"));
  const auto user = ask("Bearer " + ann);
  ASSERT_TRUE(user) << user.error().message();
  EXPECT_EQ(user->name, "ann");
  EXPECT_EQ(user->uid, "uid-of-ann");
  EXPECT_EQ(user->groups, (Groups{"team-a", "cn=x,ou=y", "system:authenticated"}));
  EXPECT_EQ(ask("Bearer " + bob)->name, "bob");
}

TEST_F(AuthTest, ThePersonWhoWasRemovedIsUnknownAtOnce) {
  const std::string ann = add_person("ann");
  const std::string bob = add_person("bob");
  ASSERT_TRUE(ask("Bearer " + ann));
  remove("secrets", {"kube-system", "user-ann"});
  EXPECT_TRUE(ask("Bearer " + ann).failed_with(Code::kUnauthorized));
  EXPECT_TRUE(ask("Bearer " + bob));
  const std::string again = add_person("ann");
  EXPECT_TRUE(ask("Bearer " + ann).failed_with(Code::kUnauthorized)) << "a new token, not the old";
  EXPECT_TRUE(ask("Bearer " + again));
}

TEST_F(AuthTest, TheHashIsNotTheToken) {
  const std::string token = add_person("ann");
  EXPECT_FALSE(ask("Bearer " + contract::hash_user_token(token)));
  EXPECT_FALSE(ask("Bearer ty_" + contract::hash_user_token(token)));
}

TEST_F(AuthTest, SecretsElsewhereOrOfAnotherTypeLetNobodyIn) {
  const std::string token = contract::make_user_token();
  const Json secret = contract::make_user_secret({"ann", contract::hash_user_token(token), {}});
  Json elsewhere = secret;
  make_path(elsewhere, "metadata.namespace") = "team";
  put(elsewhere);
  Json other_type = secret;
  make_path(other_type, "type") = "Opaque";
  put(other_type);
  EXPECT_FALSE(ask("Bearer " + token));
  put(secret);
  EXPECT_TRUE(ask("Bearer " + token));
}

TEST_F(AuthTest, ASecretCannotMakeAMasterOrASystemUser) {
  const std::string master = add_person("ann", {"system:masters"});
  EXPECT_FALSE(ask("Bearer " + master));
  const std::string system = add_person("system:kube-scheduler");
  EXPECT_FALSE(ask("Bearer " + system));
}

TEST_F(AuthTest, KnowsServiceAccounts) {
  const auto user = ask("Bearer " + account_token());
  ASSERT_TRUE(user) << user.error().message();
  EXPECT_EQ(user->name, "system:serviceaccount:team:trainer");
  EXPECT_EQ(user->uid, "u-1");
  EXPECT_EQ(user->groups, (Groups{"system:serviceaccounts", "system:serviceaccounts:team",
                                  "system:authenticated"}));
  EXPECT_EQ(user->extra.at("authentication.kubernetes.io/credential-id"), (Groups{"JTI=j-1"}));
  EXPECT_EQ(user->extra.at("authentication.kubernetes.io/node-name"), (Groups{"node-0"}));
}

TEST_F(AuthTest, ServiceAccountTokensAreCheckedOnEveryRequest) {
  const std::string token = account_token();
  ASSERT_TRUE(ask("Bearer " + token));
  clock_.advance(1h);
  EXPECT_TRUE(ask("Bearer " + token).failed_with(Code::kUnauthorized));
  const std::string fresh = account_token();
  ASSERT_TRUE(ask("Bearer " + fresh));
  remove("serviceaccounts", {"team", "trainer"});
  EXPECT_TRUE(ask("Bearer " + fresh).failed_with(Code::kUnauthorized));
}

TEST_F(AuthTest, ATokenForOthersIsNotForUs) {
  const std::string token = account_token({"vault"});
  EXPECT_TRUE(ask("Bearer " + token).failed_with(Code::kUnauthorized));
  const auto owner = authenticator_.authenticate_token(token, {"other", "vault"});
  ASSERT_TRUE(owner);
  EXPECT_EQ(owner->audiences, (Groups{"vault"}));
}

TEST_F(AuthTest, TheTokensOfPeopleAreForThisApiOnly) {
  const std::string token = add_person("ann");
  EXPECT_FALSE(authenticator_.authenticate_token(token, {"vault"}));
  const auto owner = authenticator_.authenticate_token(token, {"vault", std::string(kTokenIssuer)});
  ASSERT_TRUE(owner);
  EXPECT_EQ(owner->audiences, (Groups{std::string(kTokenIssuer)}));
}

TEST_F(AuthTest, KnowsWhoHasACertificateWhileItLasts) {
  http::Request request;
  request.certificate = http::PeerCertificate{"ann", {"team-a"}, "f00", clock_.wall() + 1h};
  const auto user = authenticator_.authenticate(request);
  ASSERT_TRUE(user);
  EXPECT_EQ(user->name, "ann");
  EXPECT_EQ(user->groups, (Groups{"team-a", "system:authenticated"}));
  EXPECT_EQ(user->extra.at("authentication.kubernetes.io/credential-id"),
            (Groups{"X509SHA256=f00"}));
  clock_.advance(1h);
  EXPECT_TRUE(authenticator_.authenticate(request).failed_with(Code::kUnauthorized))
      << "the connection was made while it was good";
  request.headers.add("Authorization", "Bearer admin-secret");
  EXPECT_EQ(authenticator_.authenticate(request)->name, "admin");
}

TEST_F(AuthTest, AnEmptyTokenIsNobodysEvenWithoutAnAdministrator) {
  const Authenticator nobody("", *store_, signer_, clock_);
  EXPECT_FALSE(nobody.authenticate_token("", {}));
  EXPECT_FALSE(nobody.authenticate(request_with("Bearer ")));
}

constexpr const char* kImpersonators = R"(
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: impersonator}
rules:
- {apiGroups: [""], resources: [users], resourceNames: [bob], verbs: [impersonate]}
- {apiGroups: [""], resources: [groups], resourceNames: [team-a], verbs: [impersonate]}
- {apiGroups: [authentication.k8s.io], resources: [userextras/scopes], verbs: [impersonate]}
- {apiGroups: [authentication.k8s.io], resources: [uids], verbs: [impersonate]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: impersonator}
roleRef: {kind: ClusterRole, name: impersonator}
subjects: [{kind: User, name: ann}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: as-accounts, namespace: team}
rules: [{apiGroups: [""], resources: [serviceaccounts], verbs: [impersonate]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: as-accounts, namespace: team}
roleRef: {kind: Role, name: as-accounts}
subjects: [{kind: User, name: ann}]
)";

class ImpersonationTest : public AuthTest {
 protected:
  ImpersonationTest() : rbac_(*store_) { put_yaml(kImpersonators); }
  Result<User> ann_as(const http::Headers& headers) {
    return impersonate(make_user("ann"), headers, rbac_);
  }
  Rbac rbac_;
};

TEST_F(ImpersonationTest, WithoutHeadersOneIsOneself) {
  const auto user = ann_as({{"Accept", "*/*"}});
  ASSERT_TRUE(user);
  EXPECT_EQ(user->name, "ann");
}

TEST_F(ImpersonationTest, IsAllowedByName) {
  const auto user = ann_as({{"impersonate-user", "bob"},
                            {"Impersonate-Group", "team-a"},
                            {"Impersonate-Uid", "7"},
                            {"Impersonate-Extra-Scopes", "view"},
                            {"Impersonate-Extra-scopes", "edit"}});
  ASSERT_TRUE(user) << user.error().message();
  EXPECT_EQ(user->name, "bob");
  EXPECT_EQ(user->uid, "7");
  EXPECT_EQ(user->groups, (Groups{"team-a", "system:authenticated"}));
  EXPECT_EQ(user->extra.at("scopes"), (Groups{"view", "edit"}));
}

TEST_F(ImpersonationTest, IsRefusedForEachThingThatIsNotAllowed) {
  EXPECT_EQ(
      ann_as({{"Impersonate-User", "carl"}}).error().message(),
      "users \"carl\" is forbidden: User \"ann\" cannot impersonate resource \"users\" in API "
      "group \"\" at the cluster scope");
  EXPECT_EQ(ann_as({{"Impersonate-User", "bob"}, {"Impersonate-Group", "system:masters"}})
                .error()
                .message(),
            "groups \"system:masters\" is forbidden: User \"ann\" cannot impersonate resource "
            "\"groups\" in API group \"\" at the cluster scope");
  EXPECT_TRUE(ann_as({{"Impersonate-User", "bob"}, {"Impersonate-Extra-Other", "x"}})
                  .failed_with(Code::kForbidden));
  EXPECT_TRUE(impersonate(make_user("bob"), {{"Impersonate-User", "ann"}}, rbac_)
                  .failed_with(Code::kForbidden));
}

TEST_F(ImpersonationTest, OfAServiceAccountGoesByItsNamespace) {
  const auto user = ann_as({{"Impersonate-User", "system:serviceaccount:team:trainer"}});
  ASSERT_TRUE(user) << user.error().message();
  EXPECT_EQ(user->groups, (Groups{"system:serviceaccounts", "system:serviceaccounts:team",
                                  "system:authenticated"}));
  EXPECT_TRUE(ann_as({{"Impersonate-User", "system:serviceaccount:other:trainer"}})
                  .failed_with(Code::kForbidden));
  EXPECT_TRUE(ann_as({{"Impersonate-User", "system:serviceaccount:team:a:b"}})
                  .failed_with(Code::kForbidden))
      << "no account's name, so a user's";
}

TEST_F(ImpersonationTest, OfNobodyMakesNoSense) {
  EXPECT_TRUE(ann_as({{"Impersonate-Group", "team-a"}}).failed_with(Code::kBadRequest));
  EXPECT_TRUE(
      ann_as({{"Impersonate-User", ""}, {"Impersonate-Uid", "7"}}).failed_with(Code::kBadRequest));
}

TEST_F(ImpersonationTest, OfTheUnknownIsNotAuthenticated) {
  const auto user = impersonate(admin_user(), {{"Impersonate-User", "system:anonymous"}}, rbac_);
  ASSERT_TRUE(user);
  EXPECT_EQ(user->groups, (Groups{"system:unauthenticated"}));
  const auto by_group = impersonate(
      admin_user(), {{"Impersonate-User", "x"}, {"Impersonate-Group", "system:unauthenticated"}},
      rbac_);
  EXPECT_EQ(by_group->groups, (Groups{"system:unauthenticated"}));
}

}  // namespace
}  // namespace trainyard::server
