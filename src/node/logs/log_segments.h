#pragma once

#include "base/files/unique_fd.h"
#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace trainyard::node {

// The files of one log, as the shim writes them: log, log.1, log.2, … A file is complete once the
// next one is there, and the oldest may have been removed.

/// The shim's notes beside them: after how many lines each begins.
inline constexpr const char* kLineNotes = "log.lines";

std::string segment_name(std::uint64_t number);
/// The numbers of the files that are there, in order.
std::vector<std::uint64_t> list_segments(const std::filesystem::path& folder);

/// Reads the bytes of a log from a place on, over the borders of its files, as far as they are
/// written.
class SegmentReader {
 public:
  explicit SegmentReader(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// Nothing is read before this place.
  Result<> open(std::uint64_t segment, std::int64_t offset);
  /// Appends the next bytes to `out`, at most `most`; Ok(false) when there are none (yet).
  Result<bool> read(std::string& out, std::size_t most);

 private:
  Result<> find_next();

  std::filesystem::path folder_;
  UniqueFd file_;
  std::uint64_t segment_ = 0;
  UniqueFd next_;  // valid: file_ is complete
  std::uint64_t next_segment_ = 0;
};

}  // namespace trainyard::node
