#include "base/crypto/ids.h"
#include "server/access/reviews.h"
#include "server/status.h"

#include <fmt/format.h>

namespace trainyard::server {
namespace {

using std::chrono::seconds;

constexpr std::int64_t kShortest = 600;
constexpr std::int64_t kLongest = std::int64_t{1} << 32;
constexpr std::int64_t kUsual = 3600;

Error not_there(const char* plural, std::string_view name) {
  return Error(Code::kNotFound, fmt::format("{} {} not found", plural, in_quotes(name)));
}

TokenReference reference_to(const Json& object) {
  return TokenReference{std::string(name_of(object)), std::string(uid_of(object))};
}

Result<seconds> lifetime_of(const Json& body) {
  const std::int64_t asked = int_at(body, "spec.expirationSeconds", kUsual);
  if (asked >= kShortest && asked <= kLongest) return seconds(asked);
  Kind kind;  // enough of one for the words
  kind.kind = "TokenRequest";
  kind.resource.group = "authentication.k8s.io";
  return invalid_object(
      kind, "",
      {FieldError{
          "spec.expirationSeconds",
          fmt::format("Invalid value: {}: may not specify a duration {}", asked,
                      asked < kShortest ? "less than 10 minutes" : "larger than 2^32 seconds"),
          "FieldValueInvalid"}});
}

std::vector<std::string> asked_audiences(const Json& body) {
  std::vector<std::string> audiences;
  for (const Json& audience : array_at(body, "spec.audiences")) {
    if (audience.is_string()) audiences.push_back(to_string(audience.get_string()));
  }
  if (audiences.empty()) audiences.emplace_back(kTokenIssuer);
  return audiences;
}

/// The object that the token shall end with; nullptr when it names none.
Result<ObjectPtr> bound_object(const store::Store& store, const std::string& ns, const Json& body) {
  const Json* reference = find(body, "spec.boundObjectRef");
  if (reference == nullptr || !reference->is_object()) return ObjectPtr();
  const std::string_view kind = string_at(*reference, "kind");
  const std::string name(string_at(*reference, "name"));
  if (string_at(*reference, "apiVersion", "v1") != "v1" || (kind != "Pod" && kind != "Secret")) {
    return Error(Code::kBadRequest, fmt::format("cannot bind token to object of type {}, Kind={}",
                                                string_at(*reference, "apiVersion"), kind));
  }
  const char* plural = kind == "Pod" ? "pods" : "secrets";
  const ObjectPtr object = store.get(plural, Key{ns, name});
  if (object == nullptr) return not_there(plural, name);
  const std::string_view uid = string_at(*reference, "uid");
  if (!uid.empty() && uid != uid_of(object->body())) {
    return Error(Code::kConflict,
                 fmt::format("Operation cannot be fulfilled on {} {}: the UID in the bound object "
                             "reference ({}) does not match the UID in record ({}). The object "
                             "might have been deleted and then recreated",
                             kind, in_quotes(name), uid, uid_of(object->body())));
  }
  return object;
}

Result<> bind_to(const store::Store& store, const Json& object, TokenClaims& claims) {
  if (string_at(object, "kind") == "Secret") {
    claims.secret = reference_to(object);
    return Ok();
  }
  const std::string_view runs_as = string_at(object, "spec.serviceAccountName", "default");
  if (runs_as != claims.account.name) {
    return Error(Code::kBadRequest,
                 fmt::format("cannot bind token for serviceaccount {} to pod running with "
                             "serviceaccount {}",
                             in_quotes(claims.account.name), in_quotes(runs_as)));
  }
  claims.pod = reference_to(object);
  const std::string node(string_at(object, "spec.nodeName"));
  if (const ObjectPtr found = store.get("nodes", Key{"", node}); found != nullptr) {
    claims.node = reference_to(found->body());
  }
  return Ok();
}

}  // namespace

Result<Json> Reviews::request_token(const Key& account, Json body) const {
  if (!body.is_object()) return Error(Code::kBadRequest, "the body is not a TokenRequest");
  const std::string_view named = name_of(body);
  if (!named.empty() && named != account.name) {
    return Error(Code::kBadRequest, "the name in the body is not the service account's");
  }
  const ObjectPtr owner = store_.get("serviceaccounts", account);
  if (owner == nullptr) return not_there("serviceaccounts", account.name);
  TokenClaims claims;
  claims.ns = account.ns;
  claims.account = reference_to(owner->body());
  TRY(const ObjectPtr bound, bound_object(store_, account.ns, body));
  if (bound != nullptr) TRY_OK(bind_to(store_, bound->body(), claims));
  TRY(const seconds lifetime, lifetime_of(body));
  claims.audiences = asked_audiences(body);
  claims.id = make_uuid();
  claims.issued = clock_.wall();
  claims.expires = claims.issued + lifetime;
  TRY(const std::string token, signer_.issue(claims));

  JsonObject spec = object_at(body, "spec");
  spec["audiences"] = JsonArray(claims.audiences.begin(), claims.audiences.end());
  spec["expirationSeconds"] = lifetime.count();
  Json metadata{{"name", account.name},
                {"namespace", account.ns},
                {"creationTimestamp", format_time(claims.issued)}};
  Json status{{"token", token}, {"expirationTimestamp", format_time(claims.expires)}};
  return Json{{"kind", "TokenRequest"},
              {"apiVersion", "authentication.k8s.io/v1"},
              {"metadata", std::move(metadata)},
              {"spec", std::move(spec)},
              {"status", std::move(status)}};
}

}  // namespace trainyard::server
