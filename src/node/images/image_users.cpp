#include "node/images/image_users.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

namespace trainyard::node {
namespace {

/// What stands before the next `mark`; it is taken off `rest`, with the mark.
std::string_view cut(std::string_view& rest, char mark) {
  const std::size_t end = std::min(rest.find(mark), rest.size());
  const std::string_view part = rest.substr(0, end);
  rest.remove_prefix(std::min(rest.size(), end + 1));
  return part;
}

/// As Kubernetes bounds the numbers of users and groups.
std::optional<std::int64_t> id_in(std::string_view text) {
  std::int32_t number = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

struct UserLine {
  std::string_view name;
  std::int64_t uid = 0;
  std::int64_t gid = 0;
  std::string_view home;
};

/// name:password:uid:gid:who:home:shell
std::optional<UserLine> find_user(std::string_view passwd, std::string_view name,
                                  std::optional<std::int64_t> uid) {
  while (!passwd.empty()) {
    std::string_view line = cut(passwd, '\n');
    UserLine user;
    user.name = cut(line, ':');
    (void)cut(line, ':');
    const auto own_uid = id_in(cut(line, ':'));
    const auto own_gid = id_in(cut(line, ':'));
    (void)cut(line, ':');
    user.home = cut(line, ':');
    if (!own_uid || !own_gid || user.name.empty()) continue;
    if (uid ? *own_uid != *uid : user.name != name) continue;
    user.uid = *own_uid;
    user.gid = *own_gid;
    return user;
  }
  return std::nullopt;
}

bool has_member(std::string_view members, std::string_view name) {
  while (!members.empty()) {
    if (cut(members, ',') == name) return true;
  }
  return false;
}

/// Calls `visit(name, gid, members)` for each line name:password:gid:members.
template <class Visit>
void for_each_group(std::string_view group, const Visit& visit) {
  while (!group.empty()) {
    std::string_view line = cut(group, '\n');
    const std::string_view name = cut(line, ':');
    (void)cut(line, ':');
    const auto gid = id_in(cut(line, ':'));
    if (gid && !name.empty()) visit(name, *gid, cut(line, ':'));
  }
}

std::optional<std::int64_t> find_group(std::string_view group, std::string_view wanted) {
  std::optional<std::int64_t> found = id_in(wanted);
  if (found) return found;
  for_each_group(group, [&](std::string_view name, std::int64_t gid, std::string_view /*members*/) {
    if (name == wanted && !found) found = gid;
  });
  return found;
}

Error not_found(const std::string& user, const char* what, std::string_view name,
                const char* table) {
  return Error(
      Code::kUnavailable,
      fmt::format("the image runs as \"{}\", but its {} has no {} \"{}\": set "
                  "securityContext.runAsUser and runAsGroup to numbers, or load an image that has",
                  user, table, what, name));
}

}  // namespace

Result<ImageUser> find_image_user(const std::string& user, const ImageUsers& users) {
  std::string_view rest = user;
  const bool says_group = rest.find(':') != std::string_view::npos;
  std::string_view name = cut(rest, ':');
  if (name.empty()) name = "0";  // as runtimes read ":50"
  const auto uid = id_in(name);
  const auto line = find_user(users.passwd, name, uid);
  if (!uid && !line) return not_found(user, "user", name, "/etc/passwd");
  ImageUser found;
  found.uid = uid ? *uid : line->uid;
  if (line) {
    found.gid = line->gid;
    if (!line->home.empty()) found.home = line->home;
  }
  if (says_group && !rest.empty()) {
    const auto gid = find_group(users.group, rest);
    if (!gid) return not_found(user, "group", rest, "/etc/group");
    found.gid = *gid;
  } else if (line) {
    for_each_group(users.group,
                   [&](std::string_view /*name*/, std::int64_t gid, std::string_view members) {
                     if (gid != found.gid && has_member(members, line->name)) {
                       found.groups.push_back(gid);
                     }
                   });
  }
  return found;
}

}  // namespace trainyard::node
