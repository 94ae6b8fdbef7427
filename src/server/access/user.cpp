#include "server/access/user.h"

#include <algorithm>

namespace trainyard::server {
namespace {

constexpr std::string_view kPrefix = "system:serviceaccount:";

}  // namespace

bool is_member(const User& user, std::string_view group) {
  return std::find(user.groups.begin(), user.groups.end(), group) != user.groups.end();
}

User admin_user() {
  User user;
  user.name = "admin";
  user.groups = {std::string(kMasters), std::string(kAuthenticated)};
  return user;
}

std::string service_account_name(const Key& account) {
  return std::string(kPrefix) + account.ns + ":" + account.name;
}

std::optional<Key> parse_service_account(std::string_view user_name) {
  if (!user_name.starts_with(kPrefix)) return std::nullopt;
  user_name.remove_prefix(kPrefix.size());
  const std::size_t colon = user_name.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  Key account{std::string(user_name.substr(0, colon)), std::string(user_name.substr(colon + 1))};
  // A second colon is caught here too: no name may hold one.
  if (!check_label_name(account.ns).empty() || !check_subdomain_name(account.name).empty()) {
    return std::nullopt;
  }
  return account;
}

std::vector<std::string> service_account_groups(const std::string& ns) {
  return {"system:serviceaccounts", "system:serviceaccounts:" + ns};
}

}  // namespace trainyard::server
