#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace trainyard::monitor {

/// What was not as it should be in event files: counted, told in one line each, and gone on from.
struct ReadNotes {
  std::uint64_t damaged_records = 0;   // the checksum is not that of the bytes
  std::uint64_t damaged_places = 0;    // no record where one should begin
  std::uint64_t skipped_bytes = 0;     // of those places
  std::uint64_t large_records = 0;     // larger than is kept in memory
  std::uint64_t odd_events = 0;        // a whole record, but no event
  std::uint64_t odd_values = 0;        // a value that is not of its tag's kind, or makes no sense
  std::uint64_t refused_tags = 0;      // values of tags beyond the limits
  std::uint64_t unfinished_files = 0;  // end within a record: the writer is at work, or was killed
  std::uint64_t unreadable_files = 0;
  std::uint64_t links = 0;       // not followed
  std::uint64_t rereadings = 0;  // files that were replaced or truncated
  std::uint64_t thinned = 0;     // curves of which not every point could be kept
  std::string example;           // one of the files and folders that links and errors are about

  void add(const ReadNotes& other);
  /// One sentence for each that is not zero.
  std::vector<std::string> sentences() const;
};

}  // namespace trainyard::monitor
