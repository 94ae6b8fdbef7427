#include "server/auth.h"

#include "base/ids.h"

namespace trainyard::server {

Result<User> Authenticator::authenticate(const http::Request& request) const {
  constexpr std::string_view kScheme = "Bearer ";
  const auto header = request.headers.find("Authorization");
  if (header && header->starts_with(kScheme) &&
      equal_secrets(header->substr(kScheme.size()), admin_token_)) {
    return User{"admin"};
  }
  return Error(Code::kUnauthorized,
               "Unauthorized: send the token of the kubeconfig (trainyard kubeconfig prints it)");
}

}  // namespace trainyard::server
