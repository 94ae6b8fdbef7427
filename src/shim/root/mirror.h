#pragma once

#include <optional>
#include <string>
#include <vector>

namespace trainyard::shim {

// A folder that cannot be written to is mirrored: another one, in a file system of ours, shows the
// same entries, and has room for new ones. Both report by errno.

/// The names in a folder, without "." and "..". `folder` may be O_PATH.
std::optional<std::vector<std::string>> list_entries(int folder);

/// Shows the entry `name` of the folder `original` in the folder `copy`: a symbolic link is made
/// anew, all else is bound with the mounts in it. Nothing is written to `original`.
bool mirror_entry(int original, int copy, const char* name);

}  // namespace trainyard::shim
