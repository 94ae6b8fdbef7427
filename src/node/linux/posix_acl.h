#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>
#include <vector>

/// POSIX access lists, which say more of a file than owner, group and others: acl(5).
namespace trainyard::node {

/// The text that the kernel takes, as in linux/posix_acl_xattr.h.
struct AclEntry {
  enum class Tag : std::uint16_t {
    kOwner = 0x01,
    kOwningGroup = 0x04,
    kGroup = 0x08,  // the one with that id
    kMask = 0x10,   // the most that groups get
    kOthers = 0x20,
  };
  Tag tag = Tag::kOwner;
  std::uint16_t rights = 0;  // 4 read, 2 write, 1 search
  std::uint32_t id = 0xFFFFFFFF;
};
/// The entries must be in the order of their tags, as the kernel wants them.
std::string encode_acl(const std::vector<AclEntry>& entries);

/// Owner and group may do everything, and the group `shared` too, whoever owns what; others may
/// look.
std::string shared_acl(std::uint32_t shared);

/// Sets an open folder's list and the one that all that is made in it begins with: such files do
/// not obey the umask of who makes them. kUnsupported where the file system has no such lists.
Result<> set_acl(int folder, const std::string& acl);

}  // namespace trainyard::node
