#include "server/access/reviews.h"

#include "server/status.h"

#include <fmt/format.h>

#include <array>

namespace trainyard::server {
namespace {

constexpr std::string_view kAuthentication = "authentication.k8s.io";
constexpr std::string_view kAuthorization = "authorization.k8s.io";

struct Question {
  std::string_view group;
  std::string_view plural;
  const char* kind;
};
constexpr std::array<Question, 6> kQuestions{{
    {kAuthentication, "tokenreviews", "TokenReview"},
    {kAuthentication, "selfsubjectreviews", "SelfSubjectReview"},
    {kAuthorization, "subjectaccessreviews", "SubjectAccessReview"},
    {kAuthorization, "selfsubjectaccessreviews", "SelfSubjectAccessReview"},
    {kAuthorization, "localsubjectaccessreviews", "LocalSubjectAccessReview"},
    {kAuthorization, "selfsubjectrulesreviews", "SelfSubjectRulesReview"},
}};

const Question* question_of(const Resource& resource) {
  for (const Question& question : kQuestions) {
    if (resource.group == question.group && resource.plural == question.plural) return &question;
  }
  return nullptr;
}

JsonArray to_array(const std::vector<std::string>& texts) {
  return JsonArray(texts.begin(), texts.end());
}

Json user_info(const User& user) {
  JsonObject info{{"username", user.name}};
  if (!user.uid.empty()) info["uid"] = user.uid;
  if (!user.groups.empty()) info["groups"] = to_array(user.groups);
  JsonObject extra;
  for (const auto& [key, values] : user.extra) extra[key] = to_array(values);
  if (!extra.empty()) info["extra"] = std::move(extra);
  return info;
}

/// Kind and version as asked for, whatever the body says, and no metadata but what it brought.
Json completed(const Question& question, const Resource& resource, const Json& body, Json status) {
  JsonObject review{{"kind", question.kind}, {"apiVersion", resource.api_version()}};
  review["metadata"] = object_at(body, "metadata");
  if (const Json* spec = find(body, "spec"); spec != nullptr) review["spec"] = *spec;
  review["status"] = std::move(status);
  return review;
}

Error invalid_review(const Question& question, std::vector<FieldError> causes) {
  Kind kind;  // enough of one for the words
  kind.kind = question.kind;
  kind.resource.group = question.group;
  return invalid_object(kind, "", std::move(causes));
}

FieldError wrong_field(const char* field, std::string_view value, const char* message) {
  return FieldError{field, fmt::format("Invalid value: {}: {}", in_quotes(value), message),
                    "FieldValueInvalid"};
}

bool has_object(const Json& body, std::string_view path) {
  const Json* found = find(body, path);
  return found != nullptr && found->is_object();
}

std::vector<FieldError> check_access_review(const Question& question, const std::string& ns,
                                            const Json& body) {
  std::vector<FieldError> causes;
  const bool resource = has_object(body, "spec.resourceAttributes");
  const bool path = has_object(body, "spec.nonResourceAttributes");
  if (resource && path) {
    causes.push_back(wrong_field("spec.nonResourceAttributes", "",
                                 "cannot be specified in combination with resourceAttributes"));
  }
  if (!resource && !path) {
    causes.push_back(wrong_field(
        "spec.resourceAttributes", "",
        "exactly one of nonResourceAttributes or resourceAttributes must be specified"));
  }
  const bool of_self = question.plural == "selfsubjectaccessreviews";
  if (!of_self && string_at(body, "spec.user").empty() && array_at(body, "spec.groups").empty()) {
    causes.push_back(
        wrong_field("spec.user", "", "at least one of user or group must be specified"));
  }
  if (question.plural == "localsubjectaccessreviews") {
    const std::string_view given = string_at(body, "spec.resourceAttributes.namespace");
    if (resource && given != ns) {
      causes.push_back(
          wrong_field("spec.resourceAttributes.namespace", given, "must match metadata.namespace"));
    }
    if (path) {
      causes.push_back(
          wrong_field("spec.nonResourceAttributes", "", "disallowed on this kind of request"));
    }
  }
  return causes;
}

Access access_of(const Json& body) {
  Access access;
  if (const Json* attributes = find(body, "spec.resourceAttributes");
      attributes != nullptr && attributes->is_object()) {
    access.verb = string_at(*attributes, "verb");
    access.resource = Resource{std::string(string_at(*attributes, "group")),
                               std::string(string_at(*attributes, "version")),
                               std::string(string_at(*attributes, "resource"))};
    access.subresource = string_at(*attributes, "subresource");
    access.key = Key{std::string(string_at(*attributes, "namespace")),
                     std::string(string_at(*attributes, "name"))};
    return access;
  }
  access.is_resource = false;
  access.verb = string_at(body, "spec.nonResourceAttributes.verb");
  access.path = string_at(body, "spec.nonResourceAttributes.path");
  return access;
}

User subject_of(const Json& body) {
  User user;
  user.name = string_at(body, "spec.user");
  user.uid = string_at(body, "spec.uid");
  user.groups = texts_at(body, "spec.groups");
  return user;
}

}  // namespace

bool Reviews::answers(const Resource& resource) {
  return question_of(resource) != nullptr;
}

Result<Json> Reviews::answer(const User& user, const Resource& resource, const std::string& ns,
                             Json body) const {
  const Question* question = question_of(resource);
  if (question == nullptr || !body.is_object()) {
    return Error(Code::kBadRequest, "this is not a review");
  }
  const std::string_view kind = string_at(body, "kind", question->kind);
  if (kind != question->kind) {
    return Error(
        Code::kBadRequest,
        fmt::format("{} in the body is not the {} that the path asks for", kind, question->kind));
  }
  Json status;
  if (question->plural == "tokenreviews") {
    status = review_token(body);
  } else if (question->plural == "selfsubjectreviews") {
    status = Json{{"userInfo", user_info(user)}};
  } else if (question->plural == "selfsubjectrulesreviews") {
    TRY(status, review_rules(user, body));
  } else {
    auto causes = check_access_review(*question, ns, body);
    if (!causes.empty()) return invalid_review(*question, std::move(causes));
    const bool of_self = question->plural == "selfsubjectaccessreviews";
    status = review_access(of_self ? user : subject_of(body), body);
  }
  return completed(*question, resource, body, std::move(status));
}

Json Reviews::review_token(const Json& body) const {
  const auto owner = authenticator_.authenticate_token(string_at(body, "spec.token"),
                                                       texts_at(body, "spec.audiences"));
  if (!owner) return Json{{"authenticated", false}, {"error", owner.error().message()}};
  return Json{{"authenticated", true},
              {"user", user_info(owner->user)},
              {"audiences", to_array(owner->audiences)}};
}

Json Reviews::review_access(const User& user, const Json& body) const {
  const Rbac::Decision decision = rbac_.decide(user, access_of(body));
  JsonObject status{{"allowed", decision.allowed}};
  if (!decision.reason.empty()) status["reason"] = decision.reason;
  return status;
}

Result<Json> Reviews::review_rules(const User& user, const Json& body) const {
  const std::string ns(string_at(body, "spec.namespace"));
  if (ns.empty()) return Error(Code::kBadRequest, "no namespace on request");
  JsonArray resource_rules;
  JsonArray path_rules;
  for (const PolicyRule& rule : rbac_.rules_for(user, ns)) {
    PolicyRule part = rule;
    part.non_resource_urls.clear();
    if (!rule.resources.empty()) resource_rules.push_back(to_json(part));
    part = PolicyRule{rule.verbs, {}, {}, {}, rule.non_resource_urls};
    if (!rule.non_resource_urls.empty()) path_rules.push_back(to_json(part));
  }
  return Json{{"resourceRules", std::move(resource_rules)},
              {"nonResourceRules", std::move(path_rules)},
              {"incomplete", false}};
}

}  // namespace trainyard::server
