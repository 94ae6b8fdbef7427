#include "server/access/reviews.h"

#include "server/test_store.h"

namespace trainyard::server {
namespace {

using namespace std::chrono_literals;

constexpr const char* kObjects = R"(
kind: ServiceAccount
metadata: {name: trainer, namespace: team, uid: u-1}
---
kind: Pod
metadata: {name: worker, namespace: team, uid: p-1}
spec: {serviceAccountName: trainer, nodeName: node-0}
---
kind: Pod
metadata: {name: other, namespace: team, uid: p-2}
spec: {}
---
kind: Node
metadata: {name: node-0, uid: n-1}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: pod-reader}
rules:
- {apiGroups: [""], resources: [pods, pods/log], verbs: [get, list]}
- {nonResourceURLs: [/metrics], verbs: [get]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: ann, namespace: team}
roleRef: {kind: ClusterRole, name: pod-reader}
subjects: [{kind: User, name: ann}, {kind: Group, name: devs}]
)";

Resource authorization(const char* plural) {
  return Resource{"authorization.k8s.io", "v1", plural};
}
Resource authentication(const char* plural) {
  return Resource{"authentication.k8s.io", "v1", plural};
}

class ReviewsTest : public StoreTest {
 protected:
  ReviewsTest()
      : signer_(*TokenSigner::make()),
        rbac_(*store_),
        authenticator_("admin-secret", *store_, signer_, clock_),
        reviews_(*store_, rbac_, authenticator_, signer_, clock_) {
    put_yaml(kObjects);
  }
  Result<Json> ask(const Resource& resource, const std::string& body, const std::string& ns = "") {
    return reviews_.answer(make_user("ann"), resource, ns, from_yaml(body));
  }
  bool allowed(const char* plural, const std::string& spec, const std::string& ns = "") {
    const auto review = ask(authorization(plural), "spec: " + spec, ns);
    EXPECT_TRUE(review) << review.error().message();
    return review && bool_at(*review, "status.allowed");
  }
  Result<Json> token(const std::string& spec = "{}", const std::string& account = "trainer") {
    return reviews_.request_token(Key{"team", account}, from_yaml("spec: " + spec));
  }
  Result<User> owner_of(const Result<Json>& request) {
    EXPECT_TRUE(request) << request.error().message();
    http::Request sent;
    sent.headers.add("Authorization", "Bearer " + std::string(string_at(*request, "status.token")));
    return authenticator_.authenticate(sent);
  }

  TokenSigner signer_;
  Rbac rbac_;
  Authenticator authenticator_;
  Reviews reviews_;
};

TEST_F(ReviewsTest, KnowsItsQuestions) {
  for (const char* plural : {"selfsubjectaccessreviews", "selfsubjectrulesreviews",
                             "subjectaccessreviews", "localsubjectaccessreviews"}) {
    EXPECT_TRUE(Reviews::answers(authorization(plural))) << plural;
  }
  EXPECT_TRUE(Reviews::answers(authentication("tokenreviews")));
  EXPECT_TRUE(Reviews::answers(authentication("selfsubjectreviews")));
  EXPECT_FALSE(Reviews::answers(authentication("subjectaccessreviews")));
  EXPECT_FALSE(Reviews::answers(kPods));
}

TEST_F(ReviewsTest, SelfSubjectReviewTellsWhoOneIs) {
  User user = make_user("ann", {"devs"});
  user.uid = "7";
  user.extra["scopes"] = {"view"};
  const auto review =
      reviews_.answer(user, authentication("selfsubjectreviews"), "",
                      from_yaml("{metadata: {creationTimestamp: null}, status: {}}"));
  ASSERT_TRUE(review) << review.error().message();
  EXPECT_EQ(string_at(*review, "kind"), "SelfSubjectReview");
  EXPECT_EQ(string_at(*review, "apiVersion"), "authentication.k8s.io/v1");
  EXPECT_EQ(to_text(*find(*review, "status")),
            R"({"userInfo":{"username":"ann","uid":"7","groups":["devs","system:authenticated"],)"
            R"("extra":{"scopes":["view"]}}})");
}

TEST_F(ReviewsTest, SelfSubjectAccessReviewTellsWhatOneMay) {
  const char* self = "selfsubjectaccessreviews";
  EXPECT_TRUE(allowed(self, "{resourceAttributes: {namespace: team, verb: get, resource: pods}}"));
  EXPECT_TRUE(allowed(self,
                      "{resourceAttributes: {namespace: team, verb: get, resource: pods, "
                      "subresource: log, name: x, version: v1}}"));
  EXPECT_FALSE(
      allowed(self, "{resourceAttributes: {namespace: other, verb: get, resource: pods}}"));
  EXPECT_FALSE(allowed(self, "{resourceAttributes: {verb: '*', resource: '*', group: '*'}}"));
  EXPECT_FALSE(allowed(self, "{nonResourceAttributes: {verb: get, path: /metrics}}"))
      << "a RoleBinding gives no paths";
  const auto review =
      ask(authorization(self),
          "{kind: SelfSubjectAccessReview, apiVersion: authorization.k8s.io/v1, spec: "
          "{resourceAttributes: {namespace: team, verb: get, resource: pods}}}");
  ASSERT_TRUE(review);
  EXPECT_EQ(string_at(*review, "status.reason"),
            "RBAC: allowed by RoleBinding \"ann/team\" of ClusterRole \"pod-reader\" to User "
            "\"ann\"");
  EXPECT_EQ(string_at(*review, "spec.resourceAttributes.resource"), "pods");
}

TEST_F(ReviewsTest, SubjectAccessReviewAsksForOthers) {
  const char* subject = "subjectaccessreviews";
  const std::string pods = "resourceAttributes: {namespace: team, verb: get, resource: pods}";
  EXPECT_TRUE(allowed(subject, "{user: ann, " + pods + "}"));
  EXPECT_TRUE(allowed(subject, "{groups: [devs], " + pods + "}"));
  EXPECT_FALSE(allowed(subject, "{user: bob, " + pods + "}"));
  EXPECT_TRUE(allowed(subject, "{user: bob, groups: ['system:masters'], " + pods + "}"));
}

TEST_F(ReviewsTest, LocalSubjectAccessReviewStaysInItsNamespace) {
  const char* local = "localsubjectaccessreviews";
  const std::string spec =
      "{user: ann, resourceAttributes: {namespace: team, verb: get, "
      "resource: pods}}";
  EXPECT_TRUE(allowed(local, spec, "team"));
  const auto elsewhere = ask(authorization(local), "spec: " + spec, "other");
  ASSERT_TRUE(elsewhere.failed_with(Code::kInvalid));
  EXPECT_NE(elsewhere.error().message().find("must match metadata.namespace"), std::string::npos);
  EXPECT_TRUE(ask(authorization(local),
                  "spec: {user: ann, nonResourceAttributes: {verb: get, path: /x}}", "team")
                  .failed_with(Code::kInvalid));
}

TEST_F(ReviewsTest, AccessReviewsWithoutAQuestionAreInvalid) {
  const char* self = "selfsubjectaccessreviews";
  const auto empty = ask(authorization(self), "spec: {}");
  ASSERT_TRUE(empty.failed_with(Code::kInvalid));
  EXPECT_TRUE(empty.error().message().starts_with(
      "SelfSubjectAccessReview.authorization.k8s.io \"\" is invalid: spec.resourceAttributes: "))
      << empty.error().message();
  EXPECT_TRUE(ask(authorization(self),
                  "spec: {resourceAttributes: {verb: get}, nonResourceAttributes: {verb: get}}")
                  .failed_with(Code::kInvalid));
  EXPECT_TRUE(ask(authorization("subjectaccessreviews"), "spec: {resourceAttributes: {verb: get}}")
                  .failed_with(Code::kInvalid))
      << "of whom";
  EXPECT_TRUE(ask(authorization(self), "kind: Pod").failed_with(Code::kBadRequest));
  EXPECT_TRUE(ask(authorization(self), "[1]").failed_with(Code::kBadRequest));
}

TEST_F(ReviewsTest, SelfSubjectRulesReviewListsRules) {
  const auto review = ask(authorization("selfsubjectrulesreviews"), "spec: {namespace: team}");
  ASSERT_TRUE(review) << review.error().message();
  EXPECT_EQ(to_text(*find(*review, "status")),
            R"({"resourceRules":[{"verbs":["get","list"],"apiGroups":[""],)"
            R"("resources":["pods","pods/log"]}],)"
            R"("nonResourceRules":[{"verbs":["get"],"nonResourceURLs":["/metrics"]}],)"
            R"("incomplete":false})");
  const auto other = ask(authorization("selfsubjectrulesreviews"), "spec: {namespace: other}");
  EXPECT_TRUE(array_at(*other, "status.resourceRules").empty());
  EXPECT_TRUE(
      ask(authorization("selfsubjectrulesreviews"), "spec: {}").failed_with(Code::kBadRequest));
}

TEST_F(ReviewsTest, TokenRequestGivesATokenOfTheAccount) {
  const auto request = token("{audiences: null, expirationSeconds: null, boundObjectRef: null}");
  ASSERT_TRUE(request) << request.error().message();
  EXPECT_EQ(string_at(*request, "kind"), "TokenRequest");
  EXPECT_EQ(string_at(*request, "status.expirationTimestamp"), format_time(clock_.wall() + 1h));
  EXPECT_EQ(int_at(*request, "spec.expirationSeconds"), 3600);
  const auto user = owner_of(request);
  ASSERT_TRUE(user) << user.error().message();
  EXPECT_EQ(user->name, "system:serviceaccount:team:trainer");
  EXPECT_EQ(user->uid, "u-1");
}

TEST_F(ReviewsTest, TokenRequestBindsToAPod) {
  const std::string reference = "boundObjectRef: {kind: Pod, apiVersion: v1, name: worker, uid: ";
  const auto request = token("{expirationSeconds: 600, " + reference + "p-1}}");
  const auto user = owner_of(request);
  ASSERT_TRUE(user) << user.error().message();
  EXPECT_EQ(user->extra.at("authentication.kubernetes.io/pod-name").front(), "worker");
  EXPECT_EQ(user->extra.at("authentication.kubernetes.io/node-uid").front(), "n-1");
  remove("pods", {"team", "worker"});
  EXPECT_FALSE(owner_of(request));
  EXPECT_TRUE(token("{" + reference + "p-1}}").failed_with(Code::kNotFound));
}

TEST_F(ReviewsTest, TokenRequestRefusesWhatItCannotPromise) {
  EXPECT_TRUE(token("{}", "nobody").failed_with(Code::kNotFound));
  const auto soon = token("{expirationSeconds: 599}");
  ASSERT_TRUE(soon.failed_with(Code::kInvalid));
  EXPECT_EQ(soon.error().message(),
            "TokenRequest.authentication.k8s.io \"\" is invalid: spec.expirationSeconds: Invalid "
            "value: 599: may not specify a duration less than 10 minutes");
  EXPECT_TRUE(token("{expirationSeconds: 4294967297}").failed_with(Code::kInvalid));
  EXPECT_TRUE(token("{expirationSeconds: -1}").failed_with(Code::kInvalid));
  EXPECT_TRUE(owner_of(token("{expirationSeconds: 4294967296}")));
  const auto foreign = token("{boundObjectRef: {kind: Pod, apiVersion: v1, name: other}}");
  ASSERT_TRUE(foreign.failed_with(Code::kBadRequest));
  EXPECT_EQ(foreign.error().message(),
            "cannot bind token for serviceaccount \"trainer\" to pod running with serviceaccount "
            "\"default\"");
  EXPECT_TRUE(token("{boundObjectRef: {kind: Pod, apiVersion: v1, name: worker, uid: old}}")
                  .failed_with(Code::kConflict));
  EXPECT_TRUE(token("{boundObjectRef: {kind: ConfigMap, apiVersion: v1, name: x}}")
                  .failed_with(Code::kBadRequest));
  EXPECT_TRUE(
      reviews_.request_token(Key{"team", "trainer"}, Json(3)).failed_with(Code::kBadRequest));
  EXPECT_TRUE(reviews_.request_token(Key{"team", "trainer"}, from_yaml("metadata: {name: root}"))
                  .failed_with(Code::kBadRequest));
}

TEST_F(ReviewsTest, TokenReviewTellsWhoseTokenItIs) {
  const std::string ours(string_at(*token(), "status.token"));
  const std::string theirs(string_at(*token("{audiences: [vault]}"), "status.token"));
  const auto review = [&](const std::string& given, const std::string& audiences) {
    const Json body{{"spec", {{"token", given}, {"audiences", from_yaml(audiences)}}}};
    auto answer = reviews_.answer(make_user("ann"), authentication("tokenreviews"), "", body);
    EXPECT_TRUE(answer);
    return *std::move(answer);
  };
  const Json good = review(ours, "[]");
  EXPECT_TRUE(bool_at(good, "status.authenticated"));
  EXPECT_EQ(string_at(good, "status.user.username"), "system:serviceaccount:team:trainer");
  EXPECT_EQ(to_text(array_at(good, "status.audiences")),
            "[\"https://kubernetes.default.svc.cluster.local\"]");
  EXPECT_FALSE(bool_at(review(theirs, "[]"), "status.authenticated"));
  EXPECT_TRUE(bool_at(review(theirs, "[vault, x]"), "status.authenticated"));
  EXPECT_FALSE(bool_at(review(ours, "[vault]"), "status.authenticated"));
  EXPECT_EQ(string_at(review("admin-secret", "[]"), "status.user.username"), "admin");
  const Json bad = review("nonsense", "[]");
  EXPECT_FALSE(bool_at(bad, "status.authenticated", true));
  EXPECT_NE(string_at(bad, "status.error"), "");
  EXPECT_FALSE(bool_at(review("", "[]"), "status.authenticated"));
}

}  // namespace
}  // namespace trainyard::server
