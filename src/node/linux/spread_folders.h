#pragma once

#include <filesystem>

namespace trainyard::node {

/// Asks the file system to put the folders in this one, and what is in them, far from each other.
/// On ext4 whatever is made next to files that were deleted a moment ago takes several times as
/// long (it does not use their inodes again so soon, and looks at each of them first), and pods
/// come and go all the time. File systems that do not know the request need it not.
void spread_folders(const std::filesystem::path& parent);

}  // namespace trainyard::node
