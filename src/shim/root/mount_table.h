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

/// A folder, and where else something that is mounted shows it, or a part of it.
struct Place {
  std::string path;
  std::string shows;  // the folder, or what of it
};

/// Where /proc/self/mountinfo says that the same files are as in `folder`, a path without links: a
/// bind mount of a folder above it, its file system mounted a second time. Not itself, nor what is
/// in it. Some may be covered by other mounts; only looking there tells.
std::vector<Place> other_places(std::string_view mountinfo, std::string_view folder);

}  // namespace trainyard::shim
