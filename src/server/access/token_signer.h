#pragma once

#include "base/clock.h"
#include "object/values/metadata.h"
#include "server/access/jwt.h"
#include "store/store.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard::server {

/// The issuer that our tokens name, and the audience of those that are meant for this API.
inline constexpr std::string_view kTokenIssuer = "https://kubernetes.default.svc.cluster.local";

/// An object that a token speaks of. The uid says which one, should the name come back.
struct TokenReference {
  std::string name;
  std::string uid;
};

/// What a service account's token says.
struct TokenClaims {
  std::string ns;
  TokenReference account;
  std::optional<TokenReference> pod;     // the token ends with this pod
  std::optional<TokenReference> secret;  // or with this secret
  std::optional<TokenReference> node;    // where the pod runs; only told on
  std::vector<std::string> audiences;
  std::string id;
  WallTime issued;
  WallTime expires;
};

/// Signs the tokens of service accounts and knows them again.
class TokenSigner {
 public:
  /// With the key in that file, which is made at the first start (0600).
  static Result<TokenSigner> open(const std::filesystem::path& key_file);
  /// With a new key that nobody keeps.
  static Result<TokenSigner> make();

  /// The document at /openid/v1/jwks: by which keys others can check our tokens.
  Result<Json> key_set() const;
  /// The document at /.well-known/openid-configuration of the server that is called `host`.
  static Json discovery(std::string_view host);

  Result<std::string> issue(const TokenClaims& claims) const;
  /// By signature, issuer and times. kUnauthorized says what is wrong. Whether what it speaks of is
  /// still there is for check_references(), and whom it is meant for is for the caller.
  Result<TokenClaims> verify(std::string_view token, WallTime now) const;

 private:
  explicit TokenSigner(JwtKey key) : key_(std::move(key)) {}
  JwtKey key_;
};

/// kUnauthorized when the service account, or the object that the token is bound to, is gone,
/// another one of the same name, or being deleted for a minute.
Result<> check_references(const TokenClaims& claims, const store::Store& store, WallTime now);

}  // namespace trainyard::server
