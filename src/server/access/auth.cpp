#include "server/access/auth.h"

#include "base/crypto/ids.h"

#include <algorithm>

namespace trainyard::server {
namespace {

constexpr const char* kCredentialId = "authentication.kubernetes.io/credential-id";
constexpr const char* kPodName = "authentication.kubernetes.io/pod-name";
constexpr const char* kPodUid = "authentication.kubernetes.io/pod-uid";
constexpr const char* kNodeName = "authentication.kubernetes.io/node-name";
constexpr const char* kNodeUid = "authentication.kubernetes.io/node-uid";

Error unauthorized(const std::string& why) {
  return Error(Code::kUnauthorized, "Unauthorized: " + why);
}

/// The token of `Authorization: Bearer TOKEN`; empty when there is none.
std::string_view bearer_token(const http::Headers& headers) {
  constexpr std::string_view kScheme = "bearer ";
  std::string_view value = headers.find("Authorization").value_or("");
  if (value.size() <= kScheme.size()) return {};
  const bool bearer =
      std::equal(kScheme.begin(), kScheme.end(), value.begin(), [](char expected, char given) {
        return expected == (given >= 'A' && given <= 'Z' ? given - 'A' + 'a' : given);
      });
  if (!bearer) return {};
  value.remove_prefix(kScheme.size());
  while (value.ends_with(' ')) value.remove_suffix(1);
  return value;
}

User certificate_user(const http::PeerCertificate& certificate) {
  User user;
  user.name = certificate.common_name;
  user.groups = certificate.organizations;
  if (!is_member(user, kAuthenticated)) user.groups.emplace_back(kAuthenticated);
  user.extra[kCredentialId] = {"X509SHA256=" + certificate.fingerprint};
  return user;
}

User account_user(const TokenClaims& claims) {
  User user;
  user.name = service_account_name(Key{claims.ns, claims.account.name});
  user.uid = claims.account.uid;
  user.groups = service_account_groups(claims.ns);
  user.groups.emplace_back(kAuthenticated);
  user.extra[kCredentialId] = {"JTI=" + claims.id};
  if (claims.pod) {
    user.extra[kPodName] = {claims.pod->name};
    user.extra[kPodUid] = {claims.pod->uid};
  }
  if (claims.node) {
    user.extra[kNodeName] = {claims.node->name};
    user.extra[kNodeUid] = {claims.node->uid};
  }
  return user;
}

/// What is in both, in the order of `wanted`.
std::vector<std::string> common(const std::vector<std::string>& wanted,
                                const std::vector<std::string>& had) {
  std::vector<std::string> both;
  for (const std::string& audience : wanted) {
    if (std::find(had.begin(), had.end(), audience) != had.end()) both.push_back(audience);
  }
  return both;
}

const std::vector<std::string>& api_audiences() {
  static const std::vector<std::string> kOurs{std::string(kTokenIssuer)};
  return kOurs;
}

}  // namespace

Result<User> Authenticator::authenticate(const http::Request& request) const {
  // Verified when the connection was made, which may be long ago.
  if (request.certificate && clock_.wall() < request.certificate->not_after) {
    return certificate_user(*request.certificate);
  }
  const std::string_view token = bearer_token(request.headers);
  if (token.empty()) {
    return unauthorized(
        "send a token or a client certificate of this server (trainyard kubeconfig prints the "
        "administrator's)");
  }
  TRY(TokenOwner owner, authenticate_token(token, {}));
  return std::move(owner.user);
}

Result<Authenticator::TokenOwner> Authenticator::authenticate_token(
    std::string_view token, const std::vector<std::string>& asked) const {
  if (token.empty()) return unauthorized("there is no token");
  const std::vector<std::string>& audiences = asked.empty() ? api_audiences() : asked;
  const User* person = nullptr;
  const User admin = admin_user();
  if (equal_secrets(token, admin_token_)) {
    person = &admin;
  } else if (token.starts_with("ty_")) {
    person = user_tokens_.find(token);
  } else {
    return authenticate_account(token, audiences);
  }
  if (person == nullptr) return unauthorized("this token is not known, or no longer");
  TokenOwner owner{*person, common(audiences, api_audiences())};
  if (owner.audiences.empty()) return unauthorized("this token is meant for this API only");
  return owner;
}

Result<Authenticator::TokenOwner> Authenticator::authenticate_account(
    std::string_view token, const std::vector<std::string>& audiences) const {
  const WallTime now = clock_.wall();
  const auto claims = signer_.verify(token, now);
  if (!claims) return unauthorized(claims.error().message());
  if (const auto alive = check_references(*claims, store_, now); !alive) {
    return unauthorized(alive.error().message());
  }
  TokenOwner owner{account_user(*claims), common(audiences, claims->audiences)};
  if (owner.audiences.empty()) return unauthorized("the token is meant for others");
  return owner;
}

}  // namespace trainyard::server
