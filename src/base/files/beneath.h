#pragma once

#include "base/files/unique_fd.h"
#include "base/result.h"

#include <filesystem>

namespace trainyard {

// Paths in folders that somebody else writes to, such as the volumes of jobs. Links on the way are
// followed as long as they stay below the folder; the kernel sees to that, so that nobody can
// change the way while it is gone.

/// kInvalid when the path leads out of `folder`, kNotFound when nothing is there, kBadRequest when
/// nothing can be. `flags` as for open().
Result<UniqueFd> open_beneath(int folder, const std::filesystem::path& path, int flags);

/// The same, but as a process sees it whose root `folder` is: absolute links begin there, and
/// nothing is above it.
Result<UniqueFd> open_in_root(int folder, const std::filesystem::path& path, int flags);

/// mkdir -p; folders that it makes get the group and the mode of `folder`.
Result<> make_folders_beneath(int folder, const std::filesystem::path& path);

}  // namespace trainyard
