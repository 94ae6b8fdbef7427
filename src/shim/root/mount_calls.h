#pragma once

#include "shim/files.h"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <sys/mount.h>

namespace trainyard::shim {

// The kernel's mount calls on file descriptors (Linux 5.12 and newer), one thin function each. A
// mount that is an Fd cannot be confused with another that is later stacked on the same path, and
// one that was opened before a mask was put over it stays reachable. All report by errno.

/// A private copy of the mounts at and below `path`, attached nowhere yet. `flags`: AT_…
Fd clone_tree(int dir, const char* path, unsigned flags = 0);

/// Opens what lies below `dir`; EXDEV or ELOOP when a link would lead out of it.
Fd open_beneath(int dir, const char* path);

struct MountOption {
  const char* key;
  std::string value;
};
/// A new tmpfs, proc or devpts, attached nowhere yet; usually without suid programs and devices.
Fd new_filesystem(const char* type, std::initializer_list<MountOption> options,
                  unsigned attributes = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);

/// Makes a folder or an empty file for a mount to go over.
bool make_entry(int dir, const char* name, bool folder);
/// Puts `tree` over the file or folder that `point` is open on.
bool attach(const Fd& tree, const Fd& point);
bool attach_at(const Fd& tree, int dir, const char* path);

enum class Reach { kOne, kAll };
bool make_read_only(const Fd& tree, Reach reach);
/// Device files in it cannot be opened.
bool make_deviceless(const Fd& tree);
/// Undoes that for one mount; not in a user namespace.
bool allow_devices(const Fd& mount);
/// Mounts that the host makes later do not appear in it.
bool make_private(const Fd& tree);

/// Tells mounts apart; 0 when the kernel does not say.
std::uint64_t mount_id(const Fd& fd);
bool is_folder(const Fd& fd);

}  // namespace trainyard::shim
