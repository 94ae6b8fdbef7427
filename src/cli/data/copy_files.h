#pragma once

#include "cli/data/copy_side.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace trainyard::cli {

/// A file, folder or link that is to be copied; `path` is below what was named, empty for that
/// itself.
struct CopyItem {
  std::string path;
  FileFacts facts;
};

/// All there is to copy of a path, folders before what is in them. Made before anything is written,
/// so that a folder that is copied into itself comes to an end. kInvalid for what is neither a
/// file, a folder nor a link.
awaitable<Result<std::vector<CopyItem>>> list_copy(CopySide& from, std::string path);
std::uint64_t bytes_of(const std::vector<CopyItem>& items);

/// Writes them to `target`. Files that are there are replaced, folders are merged, links stay
/// links. `copied` hears of bytes as they come.
using Copied = std::function<void(std::uint64_t bytes)>;
awaitable<Result<>> copy_items(CopySide& from, std::string source, std::vector<CopyItem> items,
                               CopySide& to, std::string target, Copied copied);

/// mkdir -p
awaitable<Result<>> make_folders_in(CopySide& side, std::string path);

}  // namespace trainyard::cli
