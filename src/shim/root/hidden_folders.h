#pragma once

#include "shim/failure.h"
#include "shim/files.h"

#include <string>
#include <vector>

namespace trainyard::shim {

/// Folders of the host that a container must not see, wherever it would: below their paths, where
/// something else that is mounted shows them, and in volumes of a folder above them.
class HiddenFolders {
 public:
  /// `masks` are the paths; while they are the host's.
  MaybeFailure find(const std::vector<std::string>& masks);
  /// All paths of the host at which they are.
  const std::vector<std::string>& paths() const { return paths_; }
  /// Covers those that are below the host's folder `source`, without links, in `volume`, which is
  /// mounted from there.
  MaybeFailure cover_in(const Fd& volume, const std::string& source) const;

 private:
  std::vector<std::string> paths_;
};

/// The path of what is open, without links; empty when the kernel does not say.
std::string path_of(const Fd& fd);

}  // namespace trainyard::shim
