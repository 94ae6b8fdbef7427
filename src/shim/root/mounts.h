#pragma once

#include "shim/failure.h"
#include "shim/root/hidden_folders.h"
#include "shim/root/mount_points.h"
#include "shim/root/private_root.h"
#include "shim/spec.h"

#include <string>
#include <vector>

namespace trainyard::shim {

/// A bind or tmpfs that is mounted, but attached nowhere yet.
struct Volume {
  std::string target;
  std::string name;    // for messages
  std::string source;  // of a bind: the host's folder, without links
  Fd tree;
  bool folder = true;
  bool writable = true;
};

/// Gives this process, which must be alone in new mount and PID namespaces, the files that a spec
/// asks for: private root, /proc, devices, masks, volumes. Nothing of it is seen outside, and it
/// ends with the namespace. What went less well than asked, but well enough, becomes a line of
/// `notes`. In steps, since the first can be done before it is known what will run.
class Mounts {
 public:
  /// All but the volumes.
  MaybeFailure prepare(const Spec& spec, std::vector<std::string>& notes);
  /// Whether the root is the container's own: only then can what follows wait.
  bool has_private_root() const { return is_private_; }

  /// Between these two, paths are the host's.
  MaybeFailure visit_host();
  MaybeFailure leave_host();

  /// Opens every volume; while the host is visited.
  MaybeFailure open_volumes(const Spec& spec);
  /// Puts them into their places. The host's files are out of reach after this.
  MaybeFailure attach_volumes(const Spec& spec);

 private:
  PrivateRoot root_;
  bool is_private_ = false;
  Fd host_;  // its root
  HiddenFolders hidden_;
  MountPoints points_{false};
  std::vector<Volume> volumes_;
};

}  // namespace trainyard::shim
