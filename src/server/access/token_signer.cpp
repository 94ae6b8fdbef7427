#include "server/access/token_signer.h"

#include "base/files/files.h"
#include "server/access/user.h"

#include <fmt/format.h>

namespace trainyard::server {
namespace {

using std::chrono::seconds;

// Claims hold whole seconds; beyond the year 2200 a time would not fit our clock's type.
constexpr std::int64_t kLatest = 7'258'118'400;

std::int64_t to_seconds(WallTime time) {
  return std::chrono::duration_cast<seconds>(time.time_since_epoch()).count();
}

Error refused(const std::string& why) {
  return Error(Code::kUnauthorized, why);
}

Json to_json(const TokenReference& reference) {
  return {{"name", reference.name}, {"uid", reference.uid}};
}

Result<WallTime> time_claim(const Json& claims, std::string_view name) {
  const std::int64_t value = int_at(claims, name, -1);
  if (value < 0 || value > kLatest) {
    return refused(fmt::format("the token's {} is not a time", name));
  }
  return WallTime(seconds(value));
}

/// A reference of the private claims: nothing when it is not there, an error when it is not whole.
Result<std::optional<TokenReference>> reference_claim(const JsonObject& ours,
                                                      std::string_view name) {
  const Json* found = ours.if_contains(name);
  if (found == nullptr) return std::optional<TokenReference>();
  TokenReference reference{std::string(string_at(*found, "name")),
                           std::string(string_at(*found, "uid"))};
  if (reference.name.empty() || reference.uid.empty()) {
    return refused(fmt::format("the token's {} is not named", name));
  }
  return std::optional<TokenReference>(std::move(reference));
}

Result<std::vector<std::string>> claimed_audiences(const Json& claims) {
  std::vector<std::string> audiences;
  for (const Json& audience : array_at(claims, "aud")) {
    if (!audience.is_string()) return refused("the token's audiences are not texts");
    audiences.push_back(to_string(audience.get_string()));
  }
  if (audiences.empty()) return refused("the token is meant for nobody");
  return audiences;
}

Result<> check_reference(const store::Store& store, const char* collection, const std::string& ns,
                         const TokenReference& reference, WallTime now) {
  // A pod that is told to end may still say goodbye; the API's own deletions take no longer.
  constexpr seconds kGrace(60);
  const ObjectPtr found = store.get(collection, Key{ns, reference.name});
  bool alive = found != nullptr && uid_of(found->body()) == reference.uid;
  if (alive && is_being_deleted(found->body())) {
    const auto end = parse_time(string_at(found->body(), "metadata.deletionTimestamp"));
    alive = end && now < *end + kGrace;
  }
  if (alive) return Ok();
  return refused(
      fmt::format("the token belongs to {} {}/{}, which is gone", collection, ns, reference.name));
}

}  // namespace

Result<TokenSigner> TokenSigner::make() {
  TRY(JwtKey key, JwtKey::generate());
  return TokenSigner(std::move(key));
}

Result<TokenSigner> TokenSigner::open(const std::filesystem::path& key_file) {
  auto pem = read_file(key_file);
  if (pem.failed_with(Code::kNotFound)) {
    TRY(TokenSigner signer, make());
    TRY(const std::string text, signer.key_.to_pem());
    TRY_OK(write_file(key_file, text, 0600));
    return signer;
  }
  if (!pem) return std::move(pem).error();
  auto key = JwtKey::from_pem(*pem);
  if (!key) {
    return Error(key.error().code(),
                 fmt::format("{}: {}: put it back from a backup, or remove it; the server then "
                             "makes a new one, and takes no token of a service account that was "
                             "given out before",
                             key_file.string(), key.error().message()));
  }
  return TokenSigner(*std::move(key));
}

Result<Json> TokenSigner::key_set() const {
  TRY(Json key, key_.to_jwk());
  return Json{{"keys", JsonArray{std::move(key)}}};
}

Json TokenSigner::discovery(std::string_view host) {
  return {{"issuer", kTokenIssuer},
          {"jwks_uri", fmt::format("https://{}/openid/v1/jwks", host)},
          {"response_types_supported", JsonArray{"id_token"}},
          {"subject_types_supported", JsonArray{"public"}},
          {"id_token_signing_alg_values_supported", JsonArray{"ES256"}}};
}

Result<std::string> TokenSigner::issue(const TokenClaims& claims) const {
  JsonObject ours{{"namespace", claims.ns}, {"serviceaccount", to_json(claims.account)}};
  if (claims.pod) ours["pod"] = to_json(*claims.pod);
  if (claims.secret) ours["secret"] = to_json(*claims.secret);
  if (claims.node) ours["node"] = to_json(*claims.node);
  JsonArray audiences(claims.audiences.begin(), claims.audiences.end());
  return key_.sign(Json{
      {"aud", std::move(audiences)},
      {"exp", to_seconds(claims.expires)},
      {"iat", to_seconds(claims.issued)},
      {"iss", kTokenIssuer},
      {"jti", claims.id},
      {"kubernetes.io", std::move(ours)},
      {"nbf", to_seconds(claims.issued)},
      {"sub", service_account_name(Key{claims.ns, claims.account.name})},
  });
}

Result<TokenClaims> TokenSigner::verify(std::string_view token, WallTime now) const {
  TRY(const Json body, key_.verify(token));
  if (string_at(body, "iss") != kTokenIssuer) return refused("the token has another issuer");
  TokenClaims claims;
  TRY(claims.issued, time_claim(body, "iat"));
  TRY(claims.expires, time_claim(body, "exp"));
  TRY(const WallTime valid_from, time_claim(body, "nbf"));
  if (now >= claims.expires) return refused("the token has expired");
  // Its times are whole seconds of this very clock.
  if (now + seconds(1) < valid_from) return refused("the token is not valid yet");
  TRY(claims.audiences, claimed_audiences(body));
  claims.id = string_at(body, "jti");
  const Json* ours = body.get_object().if_contains("kubernetes.io");
  if (ours == nullptr || !ours->is_object()) return refused("the token is not a service account's");
  claims.ns = string_at(*ours, "namespace");
  TRY(auto account, reference_claim(ours->get_object(), "serviceaccount"));
  if (!account || string_at(body, "sub") != service_account_name(Key{claims.ns, account->name})) {
    return refused("the token is not a service account's");
  }
  claims.account = *std::move(account);
  TRY(claims.pod, reference_claim(ours->get_object(), "pod"));
  TRY(claims.secret, reference_claim(ours->get_object(), "secret"));
  TRY(claims.node, reference_claim(ours->get_object(), "node"));
  return claims;
}

Result<> check_references(const TokenClaims& claims, const store::Store& store, WallTime now) {
  TRY_OK(check_reference(store, "serviceaccounts", claims.ns, claims.account, now));
  if (claims.pod) TRY_OK(check_reference(store, "pods", claims.ns, *claims.pod, now));
  if (claims.secret) TRY_OK(check_reference(store, "secrets", claims.ns, *claims.secret, now));
  return Ok();
}

}  // namespace trainyard::server
