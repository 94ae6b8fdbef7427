#include "shim/root/private_root.h"

#include "shim/root/mirror.h"
#include "shim/root/mount_calls.h"
#include "shim/root/mount_table.h"

#include <cstdio>
#include <fcntl.h>
#include <string_view>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace trainyard::shim {
namespace {

std::string escaped(const std::string& path) {
  std::string text;
  for (char character : path) {
    if (character == ',' || character == '\\' || character == ':') text += '\\';
    text += character;
  }
  return text;
}

/// The kernel leaves this mark of a "volatile" mount, also of one that failed, and refuses the
/// folders as long as it is there. The server may give a restarted container the same ones, and an
/// ordinary user could not even remove them: nobody has rights to what is in them.
void forget_earlier_use(const std::string& work) {
  for (const char* mark : {"/incompat/volatile/dirty", "/incompat/volatile", "/incompat", ""}) {
    (void)std::remove((work + "/work" + mark).c_str());
  }
}

/// The root of an overlay has the rights of its upper folder. A server that keeps that to itself
/// (0700) must not lock other users of the container out of "/".
void copy_rights_of_lower(const Overlay& overlay) {
  struct stat status{};
  if (::stat(overlay.lower.c_str(), &status) != 0) return;
  (void)::chown(overlay.upper.c_str(), status.st_uid, status.st_gid);
  (void)::chmod(overlay.upper.c_str(), status.st_mode & 07777);
}

bool mount_overlay(const Overlay& overlay) {
  forget_earlier_use(overlay.work);
  copy_rights_of_lower(overlay);
  // volatile: the layer lives no longer than the container. Without it every end of a container
  // would wait until the whole disk is synced.
  std::string options = "volatile,lowerdir=" + escaped(overlay.lower) +
                        ",upperdir=" + escaped(overlay.upper) + ",workdir=" + escaped(overlay.work);
  // An ordinary user's layer keeps its notes on files where that user may write them.
  if (!overlay.is_over_host() && ::geteuid() != 0) options += ",userxattr";
  // An image may have brought device files along.
  if (::mount("overlay", overlay.merged.c_str(), "overlay", MS_NODEV, options.c_str()) == 0) {
    return true;
  }
  int error = errno;
  forget_earlier_use(overlay.work);
  errno = error;
  return false;
}

/// Devices and the kernel's own files are not the root's, also where that is read-only.
bool is_kernels(std::string_view point) {
  for (std::string_view own : {"/dev", "/proc", "/sys"}) {
    if (point == own || (point.starts_with(own) && point[own.size()] == '/')) return true;
  }
  return false;
}

/// What the host has mounted brings no device files along, and with a read-only root is so too.
bool protect(const Fd& tree, const std::string& point, bool read_only) {
  if (is_kernels(point)) return true;
  return make_deviceless(tree) && (!read_only || make_read_only(tree, Reach::kAll));
}

bool protect_entry(int root, const std::string& name, bool read_only) {
  if (is_kernels("/" + name)) return true;
  Fd entry(::openat(root, name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  struct stat status{};
  if (!entry.valid() || ::fstat(entry.get(), &status) != 0) return errno == ENOENT;
  return S_ISLNK(status.st_mode) || protect(entry, "/" + name, read_only);
}

}  // namespace

MaybeFailure PrivateRoot::build_layer(const Overlay& overlay,
                                      const std::vector<std::string>& hidden, bool read_only,
                                      std::vector<std::string>& notes) {
  // Read first: the overlay itself must not be in it.
  auto table = read_file(AT_FDCWD, "/proc/self/mountinfo");
  if (!table) return errno_failure("/proc/self/mountinfo");
  if (!mount_overlay(overlay)) return errno_failure("overlay");
  mount_ = Fd(::open(overlay.merged.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!mount_.valid()) return errno_failure(overlay.merged);
  if (!overlay.is_over_host()) return add_kernels_folders();
  add_host_mounts(*table, hidden, read_only, notes);
  return std::nullopt;
}

void PrivateRoot::add_host_mounts(const std::string& table, const std::vector<std::string>& hidden,
                                  bool read_only, std::vector<std::string>& notes) {
  for (const std::string& point : top_level_submounts(table, hidden)) {
    Fd tree = clone_tree(AT_FDCWD, point.c_str(), AT_NO_AUTOMOUNT);
    if (tree.valid() && protect(tree, point, read_only) &&
        attach_at(tree, mount_.get(), point.c_str() + 1)) {
      continue;
    }
    // Mounts that are themselves covered by another are in the table, but nowhere to be found.
    if (errno != ENOENT) notes.push_back(errno_failure("mount " + point).message);
  }
}

/// The devices, the processes and the settings of the machine, which no tree of files brings along.
MaybeFailure PrivateRoot::add_kernels_folders() {
  for (const char* folder : {"/dev", "/proc", "/sys"}) {
    const char* name = folder + 1;
    if (!make_entry(mount_.get(), name, true) && errno != EEXIST) return errno_failure(folder);
    Fd tree = clone_tree(AT_FDCWD, folder);
    if (!tree.valid() || !attach_at(tree, mount_.get(), name)) return errno_failure(folder);
  }
  return std::nullopt;
}

MaybeFailure PrivateRoot::build_mirror(bool read_only, std::vector<std::string>& notes) {
  Fd host(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  auto names = host.valid() ? list_entries(host.get()) : std::nullopt;
  mount_ = names ? new_filesystem("tmpfs", {{"mode", "0755"}}) : Fd();
  // Stacked on the host's root, where a path that begins at "/" does not find it: no copy of a
  // folder can contain it.
  if (!mount_.valid() || !attach(mount_, host)) return errno_failure("root");
  is_mirror_ = true;
  for (const std::string& name : *names) {
    if (mirror_entry(host.get(), mount_.get(), name.c_str()) &&
        protect_entry(mount_.get(), name, read_only)) {
      continue;
    }
    notes.push_back(errno_failure("mount /" + name).message);
  }
  return std::nullopt;
}

MaybeFailure PrivateRoot::enter() {
  // With "." for both, the old root ends up stacked on the new one, no folder needed for it.
  if (::fchdir(mount_.get()) != 0 || ::syscall(SYS_pivot_root, ".", ".") != 0) {
    return errno_failure("the private root cannot be entered");
  }
  return std::nullopt;
}

MaybeFailure PrivateRoot::come_back() {
  if (::fchdir(mount_.get()) == 0 && ::chroot(".") == 0) return std::nullopt;
  return errno_failure("the private root cannot be entered again");
}

MaybeFailure PrivateRoot::leave_old_root() {
  // What is mounted last at a place is what is unmounted there: the old root.
  if (::fchdir(mount_.get()) != 0 || ::umount2(".", MNT_DETACH) != 0 || ::chdir("/") != 0) {
    return errno_failure("the host's root cannot be left");
  }
  return std::nullopt;
}

}  // namespace trainyard::shim
