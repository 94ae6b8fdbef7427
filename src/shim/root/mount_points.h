#pragma once

#include "shim/failure.h"
#include "shim/files.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace trainyard::shim {

/// Finds the places where volumes go, and makes the missing ones without ever writing to the host:
/// only mounts that were announced by allow() get new files and folders.
///
/// With a private root, a missing place in a folder of another mount (/run and /dev are mounts of
/// the host on most machines) is made in a shadow of that folder: a tmpfs in which every entry is
/// bound to the original. Without one it is an error.
class MountPoints {
 public:
  explicit MountPoints(bool may_shadow) : may_shadow_(may_shadow) {}

  /// New mount points may be made in this mount.
  void allow(const Fd& mount);
  /// `mount` is to become read-only when all volumes are in place.
  void seal_later(Fd mount) { to_seal_.push_back(std::move(mount)); }

  /// Opens `target` in the container's root, as O_PATH. What is missing becomes a folder or, if
  /// not `folder`, an empty file in folders.
  MaybeFailure open(const std::string& target, bool folder, Fd& point);
  /// Nothing may be made after this.
  MaybeFailure seal();

 private:
  MaybeFailure make_writable(const std::string& target, Fd& folder);
  MaybeFailure shadow(const std::string& target, Fd& folder);
  /// In the place of a folder that the user may not look into, such as /root: an empty one.
  MaybeFailure cover(const std::string& target, Fd& folder);

  bool may_shadow_;
  std::set<std::uint64_t> ours_;
  std::vector<Fd> to_seal_;
};

}  // namespace trainyard::shim
