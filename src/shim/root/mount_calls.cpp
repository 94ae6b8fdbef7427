#include "shim/root/mount_calls.h"

#include <cerrno>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace trainyard::shim {

Fd clone_tree(int dir, const char* path, unsigned flags) {
  // Always recursive: in a user namespace the kernel refuses to show what lies under a submount.
  return Fd(::open_tree(dir, path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE | flags));
}

Fd open_beneath(int dir, const char* path) {
  struct open_how how{};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  // EAGAIN: something on the way was renamed meanwhile, and the kernel could not tell where to.
  for (int tries = 0; tries < 100; ++tries) {
    Fd opened(static_cast<int>(::syscall(SYS_openat2, dir, path, &how, sizeof how)));
    if (opened.valid() || errno != EAGAIN) return opened;
  }
  return {};
}

Fd new_filesystem(const char* type, std::initializer_list<MountOption> options,
                  unsigned attributes) {
  Fd context(::fsopen(type, FSOPEN_CLOEXEC));
  if (!context.valid()) return {};
  for (const MountOption& option : options) {
    if (::fsconfig(context.get(), FSCONFIG_SET_STRING, option.key, option.value.c_str(), 0) != 0) {
      return {};
    }
  }
  if (::fsconfig(context.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) != 0) return {};
  return Fd(::fsmount(context.get(), FSMOUNT_CLOEXEC, attributes));
}

bool make_entry(int dir, const char* name, bool folder) {
  if (folder) return ::mkdirat(dir, name, 0755) == 0;
  return Fd(::openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644)).valid();
}

bool attach(const Fd& tree, const Fd& point) {
  return ::move_mount(tree.get(), "", point.get(), "",
                      MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) == 0;
}

bool attach_at(const Fd& tree, int dir, const char* path) {
  return ::move_mount(tree.get(), "", dir, path, MOVE_MOUNT_F_EMPTY_PATH) == 0;
}

bool make_read_only(const Fd& tree, Reach reach) {
  mount_attr change{};
  change.attr_set = MOUNT_ATTR_RDONLY;
  unsigned recursive = reach == Reach::kAll ? AT_RECURSIVE : 0;
  return ::mount_setattr(tree.get(), "", AT_EMPTY_PATH | recursive, &change, sizeof change) == 0;
}

bool make_deviceless(const Fd& tree) {
  mount_attr change{};
  change.attr_set = MOUNT_ATTR_NODEV;
  return ::mount_setattr(tree.get(), "", AT_EMPTY_PATH | AT_RECURSIVE, &change, sizeof change) == 0;
}

bool allow_devices(const Fd& mount) {
  mount_attr change{};
  change.attr_clr = MOUNT_ATTR_NODEV;
  return ::mount_setattr(mount.get(), "", AT_EMPTY_PATH, &change, sizeof change) == 0;
}

bool make_private(const Fd& tree) {
  mount_attr change{};
  change.propagation = MS_PRIVATE;
  return ::mount_setattr(tree.get(), "", AT_EMPTY_PATH | AT_RECURSIVE, &change, sizeof change) == 0;
}

std::uint64_t mount_id(const Fd& fd) {
  struct statx status{};
  if (::statx(fd.get(), "", AT_EMPTY_PATH, STATX_MNT_ID, &status) != 0) return 0;
  return status.stx_mask & STATX_MNT_ID ? status.stx_mnt_id : 0;
}

bool is_folder(const Fd& fd) {
  struct stat status{};
  return ::fstat(fd.get(), &status) == 0 && S_ISDIR(status.st_mode);
}

}  // namespace trainyard::shim
