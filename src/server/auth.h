#pragma once

#include "base/result.h"
#include "http/message.h"

#include <string>
#include <string_view>

namespace trainyard::server {

/// Who is asking. For now there is one person, who may do everything.
struct User {
  std::string name;
};

/// Knows the tokens. Nobody gets in without one, from loopback neither.
class Authenticator {
 public:
  explicit Authenticator(std::string admin_token) : admin_token_(std::move(admin_token)) {}
  /// By the request's bearer token. kUnauthorized otherwise.
  Result<User> authenticate(const http::Request& request) const;

 private:
  std::string admin_token_;
};

}  // namespace trainyard::server
