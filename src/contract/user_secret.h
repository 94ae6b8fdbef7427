#pragma once

#include "object/json/json.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard::contract {

/// Where people are kept: one Secret each in kube-system, which holds the hash of their token and
/// never the token itself. `trainyard user` writes them, the server's Authenticator reads them.
inline constexpr const char* kUserNamespace = "kube-system";
inline constexpr const char* kUserSecretType = "trainyard.dev/user";
/// The label by which a person's Secret and bindings are found.
inline constexpr const char* kUserLabel = "trainyard.dev/user";

struct UserSecret {
  std::string name;
  std::string token_hash;
  std::vector<std::string> groups;
};

/// `ty_` and 192 random bits.
std::string make_user_token();
std::string hash_user_token(std::string_view token);

/// The Secret's name: user-NAME.
std::string user_secret_name(const std::string& user);
/// What is wrong with a name for a person, or with a group; empty when it may be used. Names that
/// begin with system: are the platform's own.
std::string check_user_name(std::string_view name);
std::string check_group_name(std::string_view name);

Json make_user_secret(const UserSecret& user);
/// Nothing when it is another Secret, or one that gives what check_user_name() and
/// check_group_name() forbid.
std::optional<UserSecret> read_user_secret(const Json& secret);

}  // namespace trainyard::contract
