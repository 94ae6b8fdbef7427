#pragma once

#include "base/owned.h"
#include "object/json/json.h"

#include <openssl/evp.h>

#include <string>
#include <string_view>

namespace trainyard::server {

/// A key that signs JSON Web Tokens: ECDSA over P-256 (ES256), and nothing else. The algorithm is
/// never taken from a token.
class JwtKey {
 public:
  static Result<JwtKey> generate();
  static Result<JwtKey> from_pem(const std::string& pem);
  Result<std::string> to_pem() const;

  /// A hash of the public key; tokens name it as `kid`.
  const std::string& id() const { return id_; }

  /// The public half, as a JSON Web Key: others can tell by it what was signed here.
  Result<Json> to_jwk() const;

  Result<std::string> sign(const Json& claims) const;
  /// The claims of a token that this key has signed; kUnauthorized for every other text. Claims are
  /// not even parsed before the signature was found good.
  Result<Json> verify(std::string_view token) const;

 private:
  using Key = Owned<EVP_PKEY, EVP_PKEY_free>;
  JwtKey(Key key, std::string id) : key_(std::move(key)), id_(std::move(id)) {}
  static Result<JwtKey> wrap(Key key);

  Key key_;
  std::string id_;
};

}  // namespace trainyard::server
