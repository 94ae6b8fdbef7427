#include "shim/root/mount_points.h"

#include "shim/root/mirror.h"
#include "shim/root/mount_calls.h"

#include <fcntl.h>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

namespace trainyard::shim {
namespace {

/// A shadow costs one mount an entry; a folder of more is not one that volumes go into.
constexpr std::size_t kShadowLimit = 4096;

std::string octal(mode_t mode) {
  std::string text;
  for (int shift = 9; shift >= 0; shift -= 3) {
    text += static_cast<char>('0' + ((mode >> shift) & 7));
  }
  return text;
}

Fd open_path(int dir, const char* name) {
  return Fd(::openat(dir, name, O_PATH | O_CLOEXEC));
}

bool mirror_entries(int original, int copy) {
  auto names = list_entries(original);
  if (!names) return false;
  if (names->size() > kShadowLimit) {
    errno = E2BIG;
    return false;
  }
  for (const std::string& name : *names) {
    if (!mirror_entry(original, copy, name.c_str())) return false;
  }
  return true;
}

/// A tmpfs with the owner and rights of a folder.
Fd tmpfs_like(const struct stat& status) {
  MountOption mode{"mode", octal(status.st_mode & 07777)};
  Fd tmpfs = new_filesystem(
      "tmpfs",
      {mode, {"uid", std::to_string(status.st_uid)}, {"gid", std::to_string(status.st_gid)}});
  // In the namespace of an ordinary user root is nobody, to whom nothing can be given.
  return tmpfs.valid() ? std::move(tmpfs) : new_filesystem("tmpfs", {mode});
}

}  // namespace

void MountPoints::allow(const Fd& mount) {
  if (std::uint64_t id = mount_id(mount)) ours_.insert(id);
}

MaybeFailure MountPoints::open(const std::string& target, bool folder, Fd& point) {
  point = open_path(AT_FDCWD, target.c_str());
  if (point.valid()) return std::nullopt;
  point = open_path(AT_FDCWD, "/");
  std::string_view rest = target;
  for (;;) {
    rest.remove_prefix(std::min(rest.find_first_not_of('/'), rest.size()));
    if (rest.empty()) return std::nullopt;
    std::string name(rest.substr(0, rest.find('/')));
    rest.remove_prefix(name.size());
    Fd next = open_path(point.get(), name.c_str());
    if (!next.valid() && errno == EACCES && may_shadow_) {
      if (auto failure = cover(target, point)) return failure;
      errno = ENOENT;
    }
    if (!next.valid() && errno == ENOENT) {
      if (auto failure = make_writable(target, point)) return failure;
      bool last = rest.find_first_not_of('/') == rest.npos;
      if (!make_entry(point.get(), name.c_str(), folder || !last)) {
        return errno_failure("mount point " + target + " cannot be made");
      }
      next = open_path(point.get(), name.c_str());
    }
    if (!next.valid()) return errno_failure("mount point " + target + " cannot be opened");
    point = std::move(next);
  }
}

MaybeFailure MountPoints::make_writable(const std::string& target, Fd& folder) {
  if (ours_.contains(mount_id(folder))) return std::nullopt;
  if (may_shadow_) return shadow(target, folder);
  return Failure{"mount point " + target +
                 " does not exist on this machine, and without a private root it cannot be made: "
                 "create it, or use a mountPath that exists"};
}

MaybeFailure MountPoints::shadow(const std::string& target, Fd& folder) {
  struct stat status{};
  if (::fstat(folder.get(), &status) != 0) return errno_failure("mount point " + target);
  // What could not be written to before cannot be later, whoever owns the shadow.
  bool writable = ::faccessat(folder.get(), ".", W_OK, 0) == 0;
  Fd tmpfs = tmpfs_like(status);
  // `folder` stays open on the original below the tmpfs, which is where the entries come from.
  if (!tmpfs.valid() || !attach(tmpfs, folder) || !mirror_entries(folder.get(), tmpfs.get())) {
    return errno_failure("mount point " + target +
                         " does not exist, and the folder that it belongs in cannot be copied");
  }
  allow(tmpfs);
  folder = open_path(tmpfs.get(), ".");
  if (!writable) seal_later(std::move(tmpfs));
  return std::nullopt;
}

MaybeFailure MountPoints::cover(const std::string& target, Fd& folder) {
  Fd tmpfs = new_filesystem("tmpfs", {{"mode", "0755"}});
  if (!tmpfs.valid() || !attach(tmpfs, folder)) {
    return errno_failure("mount point " + target + " is in a folder that cannot be looked into");
  }
  allow(tmpfs);
  folder = open_path(tmpfs.get(), ".");
  seal_later(std::move(tmpfs));
  return std::nullopt;
}

MaybeFailure MountPoints::seal() {
  ours_.clear();
  for (const Fd& mount : to_seal_) {
    if (!make_read_only(mount, Reach::kOne))
      return errno_failure("mounts cannot be made read-only");
  }
  to_seal_.clear();
  return std::nullopt;
}

}  // namespace trainyard::shim
