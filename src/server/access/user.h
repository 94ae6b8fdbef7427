#pragma once

#include "object/values/metadata.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard::server {

/// Who is asking, as an Authenticator found out.
struct User {
  std::string name;
  std::string uid;
  std::vector<std::string> groups;
  std::map<std::string, std::vector<std::string>> extra;
};

/// Whose members may do everything, whatever the roles say.
inline constexpr std::string_view kMasters = "system:masters";
inline constexpr std::string_view kAuthenticated = "system:authenticated";
inline constexpr std::string_view kUnauthenticated = "system:unauthenticated";
inline constexpr std::string_view kAnonymous = "system:anonymous";

bool is_member(const User& user, std::string_view group);

/// The administrator: who holds the token of DATA_DIR/kubeconfig.
User admin_user();

/// system:serviceaccount:NS:NAME, and back; nothing when it is no such name.
std::string service_account_name(const Key& account);
std::optional<Key> parse_service_account(std::string_view user_name);
/// Without system:authenticated.
std::vector<std::string> service_account_groups(const std::string& ns);

}  // namespace trainyard::server
