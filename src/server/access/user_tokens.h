#pragma once

#include "object/schema/kind.h"
#include "server/access/user.h"
#include "store/store.h"

#include <string>
#include <string_view>
#include <unordered_map>

namespace trainyard::server {

class Rbac;

/// Who may write a person's Secret is anybody whom it makes: only a cluster-admin may bring, change
/// or remove one, whatever rights on Secrets others have. Other objects pass.
Result<> check_user_secret(const Rbac& rbac, const User& user, const Kind& kind,
                           const Json& object);

/// The people that `trainyard user add` has let in, by the hash of their token. Looks at the store
/// again when a Secret has changed: who was removed is unknown from the next request on.
class UserTokens {
 public:
  explicit UserTokens(const store::Store& store) : store_(store) {}
  /// Who holds that token; nullptr when nobody does.
  const User* find(std::string_view token) const;

 private:
  void refresh() const;

  const store::Store& store_;
  mutable std::int64_t changed_at_ = -1;  // of the Secrets, when they were read
  mutable std::unordered_map<std::string, User> by_hash_;
};

}  // namespace trainyard::server
