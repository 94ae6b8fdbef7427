#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace trainyard::node {

/// The users of a root that is not the host's, and whom of them its image wants to run as.
struct ImageUsers {
  std::string wanted;  // uid, uid:gid, or names for either; empty: the image does not say
  std::string passwd;  // its /etc/passwd; empty: it has none
  std::string group;   // its /etc/group
};

struct ImageUser {
  std::int64_t uid = 0;
  std::int64_t gid = 0;
  std::vector<std::int64_t> groups;  // beside its own
  std::string home = "/";
  bool operator==(const ImageUser&) const = default;
};

/// Whom `user` means, by the image's own tables. A number need not be in them: its group is 0 then,
/// and its home /. A group that is named leaves out those which the tables say beside it. Pure.
/// kUnavailable when a name is in no table: another image may come by the same name.
Result<ImageUser> find_image_user(const std::string& user, const ImageUsers& users);

}  // namespace trainyard::node
