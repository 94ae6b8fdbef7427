#include "server/access/user_tokens.h"

#include "base/crypto/ids.h"
#include "contract/user_secret.h"
#include "server/access/rbac.h"
#include "server/status.h"

namespace trainyard::server {
namespace {

constexpr const char* kSecrets = "secrets";

}  // namespace

Result<> check_user_secret(const Rbac& rbac, const User& user, const Kind& kind,
                           const Json& object) {
  const bool lets_in = kind.collection == kSecrets &&
                       string_at(object, "type") == contract::kUserSecretType &&
                       namespace_of(object) == contract::kUserNamespace;
  if (!lets_in || rbac.may_do_everything(user)) return Ok();
  return forbidden_object(kind, std::string(name_of(object)),
                          "it lets a person in, which only a cluster-admin may do (see `trainyard "
                          "user --help`)");
}

void UserTokens::refresh() const {
  const std::int64_t changed_at = store_.changed_at(kSecrets);
  if (changed_at == changed_at_) return;
  by_hash_.clear();
  for (const ObjectPtr& secret : store_.list(kSecrets, contract::kUserNamespace).objects) {
    const auto found = contract::read_user_secret(secret->body());
    if (!found || is_being_deleted(secret->body())) continue;
    User user;
    user.name = found->name;
    user.uid = uid_of(secret->body());
    user.groups = found->groups;
    user.groups.emplace_back(kAuthenticated);
    by_hash_.emplace(found->token_hash, std::move(user));
  }
  changed_at_ = changed_at;
}

const User* UserTokens::find(std::string_view token) const {
  refresh();
  const std::string hash = contract::hash_user_token(token);
  const auto found = by_hash_.find(hash);
  // How long the look-up takes tells something of the hash, which tells nothing of the token.
  return found != by_hash_.end() && equal_secrets(found->first, hash) ? &found->second : nullptr;
}

}  // namespace trainyard::server
