#pragma once

#include "base/clock.h"
#include "http/wire/message.h"
#include "server/access/token_signer.h"
#include "server/access/user.h"
#include "server/access/user_tokens.h"

#include <string>
#include <string_view>
#include <vector>

namespace trainyard::server {

class Rbac;

/// Finds out who is asking: by a client certificate of our authority, the administrator's token, a
/// person's token or a service account's. Nobody gets in without one, from loopback neither.
class Authenticator {
 public:
  Authenticator(std::string admin_token, const store::Store& store, const TokenSigner& signer,
                const Clock& clock)
      : admin_token_(std::move(admin_token)),
        store_(store),
        signer_(signer),
        clock_(clock),
        user_tokens_(store) {}

  /// kUnauthorized when nobody known is asking.
  Result<User> authenticate(const http::Request& request) const;

  /// Who signs the tokens of service accounts.
  const TokenSigner& signer() const { return signer_; }

  struct TokenOwner {
    User user;
    std::vector<std::string> audiences;  // those of the asked ones that the token is meant for
  };
  /// Whose token it is, when it is meant for one of these audiences. No audiences: for this API.
  Result<TokenOwner> authenticate_token(std::string_view token,
                                        const std::vector<std::string>& audiences) const;

 private:
  Result<TokenOwner> authenticate_account(std::string_view token,
                                          const std::vector<std::string>& audiences) const;

  std::string admin_token_;
  const store::Store& store_;
  const TokenSigner& signer_;
  const Clock& clock_;
  UserTokens user_tokens_;
};

/// Whom the request wants to act as (the headers Impersonate-User, -Group, -Uid and -Extra-*, which
/// `kubectl --as` sends): the user itself when it names nobody. kForbidden unless the user may
/// `impersonate` all of it.
Result<User> impersonate(const User& user, const http::Headers& headers, const Rbac& rbac);

}  // namespace trainyard::server
