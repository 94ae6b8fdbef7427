#pragma once

#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace trainyard::cli::arena {

/// A file of a folder that is uploaded.
struct CodeFile {
  std::string path;  // below the folder
  std::string hash;  // SHA-256 of its content: what it is called in the volume
  bool executable = false;
  std::uint64_t bytes = 0;
};

/// All files of a folder, by path, without .git and what .gitignore leaves out. An error when the
/// folder is not there, or when one of them could not be named or is too large.
Result<std::vector<CodeFile>> read_code_tree(const std::filesystem::path& folder);

/// A line a file, "MODE<tab>HASH<tab>PATH", before them a line "d<tab>-<tab>PATH" for each folder.
std::string code_listing(const std::vector<CodeFile>& files);

/// Bytes of the files whose content is not there yet; the same content counts once. Pure.
std::uint64_t bytes_to_send(const std::vector<CodeFile>& files, std::set<std::string> there);

/// The shell script that makes the files of a listing in the volume at /upload again below /code.
std::string checkout_script(const std::string& listing_hash, const std::string& name);

/// Where in the volume.
inline constexpr const char* kCodeFiles = "files";
inline constexpr const char* kCodeListings = "listings";

}  // namespace trainyard::cli::arena
