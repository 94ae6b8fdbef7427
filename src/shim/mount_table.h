#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace trainyard::shim {

/// True for `folder` itself and everything in it, by whole path components.
bool is_at_or_below(std::string_view path, std::string_view folder);

/// The mount points of /proc/self/mountinfo that have to be bound again under a new root: those
/// that lie in no other mount but "/" (a recursive bind brings the rest along), in the table's
/// order, each once, without those at or below the folders in `skip` and without pods' memory.
std::vector<std::string> top_level_submounts(std::string_view mountinfo,
                                             const std::vector<std::string>& skip);

}  // namespace trainyard::shim
