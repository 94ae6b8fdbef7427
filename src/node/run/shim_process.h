#pragma once

#include "base/files/unique_fd.h"
#include "base/result.h"

#include <filesystem>

namespace trainyard::node {

/// The lock of a run's folder. The shim inherits it: from now on "locked" means "a shim is on its
/// way". Not valid when one lives there already.
Result<UniqueFd> lock_for_shim(const std::filesystem::path& folder);

/// Whether a shim is there, or on its way: the lock of the run's folder is held.
bool shim_lives_in(const std::filesystem::path& folder);

/// Starts the program `shim` in a folder that was locked for it. With `waits_at` it does not expect
/// a spec yet: a byte from there says that it is written. `life` is what it has open as long as it
/// lives (port_keeper.h).
Result<> spawn_shim(const std::filesystem::path& shim, const std::filesystem::path& folder,
                    int lock, int life, int waits_at = -1);

}  // namespace trainyard::node
