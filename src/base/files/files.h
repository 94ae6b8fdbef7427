#pragma once

#include "base/result.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace trainyard {

/// "No such file or directory" and its kin, with the path: what people need to act.
Error io_error(std::string_view doing, const std::filesystem::path& path, int errno_value);

Result<std::string> read_file(const std::filesystem::path& path);
/// Writes beside the target, syncs, renames: readers see the old or the new content, also after a
/// power cut.
Result<> write_file(const std::filesystem::path& path, std::string_view content, unsigned mode);
/// The same without waiting for the disk: for what a power cut makes worthless anyway.
Result<> write_file_unsynced(const std::filesystem::path& path, std::string_view content,
                             unsigned mode);
/// mkdir -p; folders that it makes get `mode`.
Result<> make_folders(const std::filesystem::path& path, unsigned mode);
/// rm -rf. Folders that their owner may not write to, as jobs leave them, go too. Nothing there:
/// Ok.
Result<> remove_folder(const std::filesystem::path& path);

}  // namespace trainyard
