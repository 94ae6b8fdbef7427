#pragma once

#include "base/result.h"

#include <cstdint>
#include <filesystem>

namespace trainyard::node {

// Folders in memory that the containers of a pod share, and that outlive each of them: mounted by
// the server, which only root can.

/// Mounts one at `folder`, which must exist, unless it is there. `bytes` 0: as much as the kernel
/// gives by itself.
Result<> mount_memory(const std::filesystem::path& folder, std::int64_t bytes);

/// Takes away whatever is mounted below `folder`.
Result<> unmount_below(const std::filesystem::path& folder);

}  // namespace trainyard::node
