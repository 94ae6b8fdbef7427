#include "node/volumes/volume_folder.h"

#include "base/files/files.h"
#include "base/files/unique_fd.h"
#include "node/linux/posix_acl.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace trainyard::node {
namespace {

namespace fs = std::filesystem;

/// What is made in the folder has its group.
constexpr mode_t kOfTheGroup = 02775;

/// No link: what pods make lies below it, but nothing of theirs is on the way.
Result<UniqueFd> open_folder(const fs::path& folder) {
  UniqueFd opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (opened.valid()) return opened;
  return io_error("opening", folder, errno);
}

Result<> give(const UniqueFd& opened, const fs::path& folder, std::int64_t group) {
  if (::fchown(opened.get(), static_cast<uid_t>(-1), static_cast<gid_t>(group)) == 0) return Ok();
  const int failure = errno;
  Error cause = io_error("giving to the group of its pods", folder, failure);
  const bool refused = failure == EPERM || failure == EINVAL || failure == EOPNOTSUPP;
  return refused ? Error(Code::kForbidden, cause.message()) : cause;
}

}  // namespace

Result<Sharing> make_volume_folder(const fs::path& folder, std::optional<std::int64_t> group) {
  TRY_OK(make_folders(folder, 0755));
  if (!group) return Sharing::kAsOne;
  TRY(const UniqueFd opened, open_folder(folder));
  const auto given = give(opened, folder, *group);
  if (given.failed_with(Code::kForbidden)) return Sharing::kNot;
  if (!given) return given.error();
  if (::fchmod(opened.get(), kOfTheGroup) != 0) return io_error("opening up", folder, errno);
  const auto set = set_acl(opened.get(), shared_acl(static_cast<std::uint32_t>(*group)));
  if (set) return Sharing::kByAcl;
  if (set.failed_with(Code::kUnsupported)) return Sharing::kByMode;
  return set.error();
}

Result<> give_to_fs_group(const fs::path& folder, std::int64_t group) {
  TRY(const UniqueFd opened, open_folder(folder));
  struct stat status{};
  if (::fstat(opened.get(), &status) != 0) return io_error("looking at", folder, errno);
  if (static_cast<std::int64_t>(status.st_gid) != group) TRY_OK(give(opened, folder, group));
  const mode_t mode = (status.st_mode & 07777) | 02070;
  if ((status.st_mode & 07777) == mode || ::fchmod(opened.get(), mode) == 0) return Ok();
  return io_error("opening up", folder, errno);
}

}  // namespace trainyard::node
