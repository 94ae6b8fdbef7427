#include "base/words/text.h"
#include "http/wire/message.h"
#include "server/access/auth.h"
#include "server/access/rbac.h"

#include <algorithm>
#include <cctype>

namespace trainyard::server {
namespace {

constexpr const char* kAuthenticationGroup = "authentication.k8s.io";

/// What the headers ask for, not yet allowed.
struct Wish {
  std::string user;
  std::string uid;
  std::vector<std::string> groups;
  std::map<std::string, std::vector<std::string>> extra;
};

Wish read_wish(const http::Headers& headers) {
  constexpr std::string_view kExtra = "impersonate-extra-";
  Wish wish;
  for (const auto& [field, value] : headers.all()) {
    const std::string name = lower(field);
    if (name == "impersonate-user" && wish.user.empty()) wish.user = value;
    if (name == "impersonate-uid" && wish.uid.empty()) wish.uid = value;
    if (name == "impersonate-group") wish.groups.push_back(value);
    if (name.starts_with(kExtra)) {
      wish.extra[http::percent_decode(name.substr(kExtra.size()))].push_back(value);
    }
  }
  return wish;
}

Access impersonation_of(const char* group, const char* plural, Key key) {
  Access access;
  access.verb = "impersonate";
  access.resource = Resource{group, "", plural};
  access.key = std::move(key);
  return access;
}

Result<> check_wish(const User& user, const Wish& wish, const Rbac& rbac) {
  if (const auto account = parse_service_account(wish.user)) {
    TRY_OK(rbac.check(user, impersonation_of("", "serviceaccounts", *account)));
  } else {
    TRY_OK(rbac.check(user, impersonation_of("", "users", Key{"", wish.user})));
  }
  for (const std::string& group : wish.groups) {
    TRY_OK(rbac.check(user, impersonation_of("", "groups", Key{"", group})));
  }
  for (const auto& [key, values] : wish.extra) {
    for (const std::string& value : values) {
      Access access = impersonation_of(kAuthenticationGroup, "userextras", Key{"", value});
      access.subresource = key;
      TRY_OK(rbac.check(user, access));
    }
  }
  if (wish.uid.empty()) return Ok();
  return rbac.check(user, impersonation_of(kAuthenticationGroup, "uids", Key{"", wish.uid}));
}

/// Everybody is in one of the two groups of those who are known and those who are not.
void complete_groups(User& user) {
  const std::string_view own = user.name == kAnonymous ? kUnauthenticated : kAuthenticated;
  if (!is_member(user, own) && !is_member(user, kUnauthenticated)) user.groups.emplace_back(own);
}

}  // namespace

Result<User> impersonate(const User& user, const http::Headers& headers, const Rbac& rbac) {
  Wish wish = read_wish(headers);
  if (wish.user.empty()) {
    if (wish.groups.empty() && wish.extra.empty() && wish.uid.empty()) return user;
    return Error(Code::kBadRequest,
                 "groups, uid and extra fields cannot be impersonated without a user: send "
                 "Impersonate-User (kubectl --as) too");
  }
  TRY_OK(check_wish(user, wish, rbac));
  User other;
  other.name = std::move(wish.user);
  other.uid = std::move(wish.uid);
  other.groups = std::move(wish.groups);
  other.extra = std::move(wish.extra);
  const auto account = parse_service_account(other.name);
  if (account && other.groups.empty()) other.groups = service_account_groups(account->ns);
  complete_groups(other);
  return other;
}

}  // namespace trainyard::server
