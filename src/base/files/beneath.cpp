#include "base/files/beneath.h"

#include "base/files/files.h"

#include <fmt/format.h>

#include <cerrno>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace trainyard {
namespace {

namespace fs = std::filesystem;

/// By its descriptor: whoever puts a link in its place changes nothing elsewhere.
Result<> give_rights(int above, const fs::path& name, const struct stat& like) {
  const UniqueFd made(
      ::openat(above, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!made.valid()) return io_error("opening", name, errno);
  // Only root can give what it has made to any group.
  if (::fchown(made.get(), static_cast<uid_t>(-1), like.st_gid) != 0 && ::geteuid() == 0) {
    return io_error("giving to the folder's group", name, errno);
  }
  if (::fchmod(made.get(), like.st_mode & 07777) != 0) {
    return io_error("changing the mode of", name, errno);
  }
  return Ok();
}

Result<UniqueFd> open_within(int folder, const fs::path& path, int flags, std::uint64_t resolve) {
  struct open_how how{};
  how.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC);
  how.resolve = resolve | RESOLVE_NO_MAGICLINKS;
  const char* name = path.empty() ? "." : path.c_str();
  int opened = -1;
  // EAGAIN: something on the way was renamed meanwhile, and the kernel could not tell where to.
  for (int tries = 0; tries < 100; ++tries) {
    opened = static_cast<int>(::syscall(SYS_openat2, folder, name, &how, sizeof how));
    if (opened >= 0) return UniqueFd(opened);
    if (errno != EAGAIN && errno != EINTR) break;
  }
  if (errno == EXDEV || errno == ELOOP) {
    return Error(Code::kInvalid, fmt::format("{} leads out of its folder", path.string()));
  }
  if (errno == ENOTDIR) {
    return Error(Code::kBadRequest,
                 fmt::format("{}: something on the way is no folder", path.string()));
  }
  if (errno == ENAMETOOLONG) {
    return Error(Code::kBadRequest,
                 fmt::format("{}: a name in it is longer than 255 bytes", path.string()));
  }
  return io_error("opening", path, errno);
}

Result<> make_one(int folder, const fs::path& parent, const fs::path& name) {
  struct stat like{};
  if (::fstat(folder, &like) != 0) return io_error("looking at the folder of", name, errno);
  TRY(const UniqueFd above, open_within(folder, parent, O_PATH | O_DIRECTORY, RESOLVE_BENEATH));
  if (::mkdirat(above.get(), name.c_str(), 0700) == 0) {
    return give_rights(above.get(), name, like);
  }
  if (errno == EEXIST) return Ok();
  return io_error("making folder", parent / name, errno);
}

}  // namespace

Result<UniqueFd> open_beneath(int folder, const fs::path& path, int flags) {
  return open_within(folder, path, flags, RESOLVE_BENEATH);
}

Result<UniqueFd> open_in_root(int folder, const fs::path& path, int flags) {
  return open_within(folder, path, flags, RESOLVE_IN_ROOT);
}

Result<> make_folders_beneath(int folder, const fs::path& path) {
  fs::path parent;
  for (const fs::path& part : path) {
    if (part.empty() || part == ".") continue;
    const auto there = open_beneath(folder, parent / part, O_PATH);
    if (there.failed_with(Code::kNotFound)) {
      TRY_OK(make_one(folder, parent, part));
    } else if (!there) {
      return there.error();
    }
    parent /= part;
  }
  return Ok();
}

}  // namespace trainyard
