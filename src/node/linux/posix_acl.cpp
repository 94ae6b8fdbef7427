#include "node/linux/posix_acl.h"

#include "base/files/files.h"

#include <cerrno>
#include <sys/xattr.h>

namespace trainyard::node {
namespace {

constexpr std::uint32_t kVersion = 2;
constexpr std::uint16_t kAll = 7;
constexpr std::uint16_t kLook = 5;

/// Little-endian, whatever the machine is.
template <class Number>
void append(std::string& text, Number number) {
  for (std::size_t i = 0; i < sizeof(Number); ++i) {
    text += static_cast<char>(number >> (8 * i) & 0xFF);
  }
}

}  // namespace

std::string encode_acl(const std::vector<AclEntry>& entries) {
  std::string text;
  append(text, kVersion);
  for (const AclEntry& entry : entries) {
    append(text, static_cast<std::uint16_t>(entry.tag));
    append(text, entry.rights);
    append(text, entry.id);
  }
  return text;
}

std::string shared_acl(std::uint32_t shared) {
  using Tag = AclEntry::Tag;
  return encode_acl({{Tag::kOwner, kAll},
                     {Tag::kOwningGroup, kAll},
                     {Tag::kGroup, kAll, shared},
                     {Tag::kMask, kAll},
                     {Tag::kOthers, kLook}});
}

Result<> set_acl(int folder, const std::string& acl) {
  for (const char* name : {"system.posix_acl_default", "system.posix_acl_access"}) {
    if (::fsetxattr(folder, name, acl.data(), acl.size(), 0) == 0) continue;
    if (errno == EOPNOTSUPP || errno == ENOSYS) {
      return Error(Code::kUnsupported, "its file system has no POSIX access lists");
    }
    return io_error("setting the access list of", "a volume", errno);
  }
  return Ok();
}

}  // namespace trainyard::node
