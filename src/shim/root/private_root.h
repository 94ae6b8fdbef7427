#pragma once

#include "shim/failure.h"
#include "shim/files.h"
#include "shim/spec.h"

#include <string>
#include <utility>
#include <vector>

namespace trainyard::shim {

/// A root of the container's own, in which mount points can be made. Built in one of two ways, then
/// entered.
class PrivateRoot {
 public:
  /// A writable layer over a tree. Over the host's root, with the host's mounts; what is mounted at
  /// or below `hidden` is left out. Over another, with the kernel's folders only.
  MaybeFailure build_layer(const Overlay& overlay, const std::vector<std::string>& hidden,
                           bool read_only, std::vector<std::string>& notes);
  /// For where the kernel refuses that, as it does to ordinary users: a tmpfs that shows the
  /// entries of the host's root. The folders in it are the host's, and written to as the user may.
  MaybeFailure build_mirror(bool read_only, std::vector<std::string>& notes);
  // Both: what cannot be bound becomes a line of `notes`. With `read_only` the host's mounts in it
  // cannot be written to; its own mount is the caller's to seal.

  /// Makes it this process's root. The old one stays mounted, out of sight, until leave_old_root().
  MaybeFailure enter();
  /// For who has changed its root in between.
  MaybeFailure come_back();
  MaybeFailure leave_old_root();

  const Fd& mount() const { return mount_; }
  bool is_mirror() const { return is_mirror_; }
  Fd take_mount() { return std::move(mount_); }

 private:
  void add_host_mounts(const std::string& table, const std::vector<std::string>& hidden,
                       bool read_only, std::vector<std::string>& notes);
  MaybeFailure add_kernels_folders();

  Fd mount_;
  bool is_mirror_ = false;
};

}  // namespace trainyard::shim
