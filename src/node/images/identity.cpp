#include "node/images/identity.h"

#include "node/namespace_groups.h"

#include <fmt/format.h>

#include <array>
#include <pwd.h>

namespace trainyard::node {
namespace {

std::optional<std::int64_t> number_at(const Json& object, const std::string& field) {
  const Json* value = find(object, "securityContext." + field);
  if (value == nullptr || !value->is_number()) return std::nullopt;
  return int_at(object, "securityContext." + field);
}

/// The container's own word, else the pod's.
std::optional<std::int64_t> chosen(const Json& pod, const Json& container,
                                   const std::string& field) {
  if (const auto own = number_at(container, field)) return own;
  const Json* spec = find(pod, "spec");
  return spec == nullptr ? std::nullopt : number_at(*spec, field);
}

bool must_be_ordinary(const Json& pod, const Json& container) {
  const Json* own = find(container, "securityContext.runAsNonRoot");
  if (own != nullptr && own->is_bool()) return own->get_bool();
  return bool_at(pod, "spec.securityContext.runAsNonRoot");
}

/// What the machine's list of users says of one: group and home.
void look_up(std::int64_t uid, Identity& identity) {
  std::array<char, 4096> buffer{};
  struct passwd entry{};
  struct passwd* found = nullptr;
  const auto number = static_cast<uid_t>(uid);
  const bool known =
      ::getpwuid_r(number, &entry, buffer.data(), buffer.size(), &found) == 0 && found != nullptr;
  if (!identity.gid) identity.gid = known ? static_cast<std::int64_t>(entry.pw_gid) : 0;
  identity.home = known ? entry.pw_dir : "/";
}

/// The groups of other namespaces would let it into their volumes.
Result<> check_groups(const Identity& identity, const PodFacts& facts) {
  std::vector<std::int64_t> all = identity.groups;
  if (identity.gid) all.push_back(*identity.gid);
  for (const std::int64_t group : all) {
    if (!is_namespace_group(group)) continue;
    return Error(
        Code::kInvalid,
        fmt::format("group {} cannot be asked for: groups from {} to {} are those by which "
                    "namespaces share their volumes (pod: \"{}\")",
                    group, kFirstNamespaceGroup, kFirstNamespaceGroup + kNamespaceGroups - 1,
                    full_name(facts)));
  }
  return Ok();
}

/// The image's own user, unless the pod has said another; of that, what the image knows.
Result<> look_up_in(const ImageUsers& image, std::int64_t server_uid, Identity& identity) {
  const bool is_said = identity.uid.has_value();
  if (!is_said && image.wanted.empty()) return Ok();
  TRY(ImageUser user,
      find_image_user(is_said ? std::to_string(*identity.uid) : image.wanted, image));
  if (!is_said && user.uid == 0 && user.gid == 0 && server_uid != 0) return Ok();
  // An ordinary user cannot change its groups, and need not where it is the one that is meant.
  const bool stays = server_uid != 0 && user.uid == server_uid;
  if (!identity.gid && !stays) identity.gid = user.gid;
  identity.uid = user.uid;
  if (!stays) identity.groups = std::move(user.groups);
  identity.home = std::move(user.home);
  return Ok();
}

}  // namespace

Result<Identity> make_identity(const Json& pod, const Json& container, const PodFacts& facts,
                               std::int64_t server_uid, const std::optional<ImageUsers>& image,
                               std::optional<std::int64_t> shared) {
  Identity identity;
  identity.uid = chosen(pod, container, "runAsUser");
  identity.gid = chosen(pod, container, "runAsGroup");
  const bool is_said = identity.uid.has_value();
  if (image) TRY_OK(look_up_in(*image, server_uid, identity));
  if (must_be_ordinary(pod, container) && identity.uid.value_or(server_uid) == 0) {
    const char* why = is_said ? "container's runAsUser breaks non-root policy"
                              : "container has runAsNonRoot and image will run as root";
    return Error(Code::kInvalid, fmt::format("{} (pod: \"{}\", container: {})", why,
                                             full_name(facts), string_at(container, "name")));
  }
  if (!image && identity.uid && *identity.uid != server_uid) look_up(*identity.uid, identity);
  for (const Json& group : array_at(pod, "spec.securityContext.supplementalGroups")) {
    if (group.is_int64()) identity.groups.push_back(group.get_int64());
  }
  const Json* spec = find(pod, "spec");
  if (spec != nullptr) identity.fs_group = number_at(*spec, "fsGroup");
  if (identity.fs_group) identity.groups.push_back(*identity.fs_group);
  TRY_OK(check_groups(identity, facts));
  if (shared) identity.groups.push_back(*shared);
  return identity;
}

}  // namespace trainyard::node
