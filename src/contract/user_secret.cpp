#include "contract/user_secret.h"

#include "base/crypto/ids.h"
#include "object/values/metadata.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::contract {
namespace {

constexpr std::string_view kReserved = "system:";
constexpr std::size_t kHashSize = 64;

std::optional<std::string> data_at(const Json& secret, std::string_view field) {
  return base64_decode(string_at(secret, fmt::format("data.{}", field)));
}

}  // namespace

std::string make_user_token() {
  return "ty_" + random_hex(24);
}

std::string hash_user_token(std::string_view token) {
  return sha256_hex(token);
}

std::string user_secret_name(const std::string& user) {
  return "user-" + user;
}

std::string check_user_name(std::string_view name) {
  // It becomes part of the names of objects, and the value of a label.
  if (name.size() > 50) return "must be no more than 50 characters";
  if (check_subdomain_name(name).empty()) return {};
  return "must consist of lower case letters, digits, '-' or '.', and begin and end with a letter "
         "or digit";
}

std::string check_group_name(std::string_view name) {
  if (name.empty() || name.size() > 250) return "must have 1 to 250 characters";
  if (name.starts_with(kReserved)) return "groups that begin with system: are the platform's own";
  const bool printable =
      std::none_of(name.begin(), name.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; });
  return printable ? "" : "must not contain control characters";
}

Json make_user_secret(const UserSecret& user) {
  return {{"apiVersion", "v1"},
          {"kind", "Secret"},
          {"type", kUserSecretType},
          {"metadata",
           {{"name", user_secret_name(user.name)},
            {"namespace", kUserNamespace},
            {"labels", {{kUserLabel, user.name}}}}},
          {"data",
           {{"username", base64_encode(user.name)},
            {"token-sha256", base64_encode(user.token_hash)},
            {"groups", base64_encode(fmt::format("{}", fmt::join(user.groups, "\n")))}}}};
}

std::optional<UserSecret> read_user_secret(const Json& secret) {
  if (string_at(secret, "type") != kUserSecretType || namespace_of(secret) != kUserNamespace) {
    return std::nullopt;
  }
  const auto name = data_at(secret, "username");
  const auto hash = data_at(secret, "token-sha256");
  const auto groups = data_at(secret, "groups");
  if (!name || !hash || !groups || !check_user_name(*name).empty() || hash->size() != kHashSize) {
    return std::nullopt;
  }
  UserSecret user{*name, *hash, {}};
  std::string_view rest = *groups;
  while (!rest.empty()) {
    const std::string_view group = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), group.size() + 1));
    if (group.empty()) continue;
    if (!check_group_name(group).empty()) return std::nullopt;
    user.groups.emplace_back(group);
  }
  return user;
}

}  // namespace trainyard::contract
