#pragma once

#include "base/result.h"

#include <filesystem>
#include <string_view>

namespace trainyard::store {

/// What a write-ahead log of SQLite's holds behind the place where reading it ends. SQLite itself
/// reads up to the first frame that does not match its checksum, and does not say what follows.
struct WalTail {
  /// Frames of the same log lie behind that place: of a commit that a crash has cut off, or of
  /// more.
  bool leftover = false;
  /// Among them is a commit after which more was written. It had been synced by then, so it was
  /// acknowledged: the log was damaged later. A crash alone does not leave this.
  bool lost_commits = false;
};

/// Of the content of such a file.
WalTail scan_wal(std::string_view log);
/// Of a file that may be missing.
Result<WalTail> scan_wal_file(const std::filesystem::path& file);

}  // namespace trainyard::store
