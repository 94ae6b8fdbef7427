#pragma once

#include "monitor/crc32c.h"
#include "monitor/events/read_notes.h"

#include <cstring>
#include <string_view>

namespace trainyard::monitor {

// TensorBoard's record format, numbers little-endian:
//
//   length 8 | masked CRC of the length 4 | bytes | masked CRC of the bytes 4
//
// A record with wrong bytes is skipped by its length. Where the length itself is wrong, the next
// place is searched at which a length and its checksum agree: by chance they do so once in 4 G.

inline constexpr std::size_t kRecordHeader = 12;
inline constexpr std::size_t kRecordFooter = 4;
/// Protobuf has no larger messages: a length beyond is none.
inline constexpr std::uint64_t kMostRecordBytes = std::uint64_t(1) << 31;

/// How far reading came.
struct RecordProgress {
  std::uint64_t used = 0;    // bytes that need not be seen again; may lie beyond what was given
  std::uint64_t needed = 0;  // how many must be given from there on to come further
};

class RecordReader {
 public:
  /// Records larger than `most_bytes` are passed over.
  explicit RecordReader(std::uint64_t most_bytes) : most_bytes_(most_bytes) {}

  /// Calls each(record, offset in `bytes`) for the whole records of `bytes`, which are the next of
  /// a file that has `in_file` bytes from here on.
  template <class Each>
  RecordProgress read(std::string_view bytes, std::uint64_t in_file, ReadNotes& notes, Each each) {
    std::uint64_t at = 0;
    while (bytes.size() - at >= kRecordHeader) {
      const char* header = bytes.data() + at;
      const auto length = load<std::uint64_t>(header);
      if (length > kMostRecordBytes ||
          load<std::uint32_t>(header + 8) != masked(crc32c({header, 8}))) {
        if (!searching_) ++notes.damaged_places;
        searching_ = true;
        ++notes.skipped_bytes;
        ++at;
        continue;
      }
      const std::uint64_t whole = kRecordHeader + length + kRecordFooter;
      if (whole > in_file - at) return {at, whole};  // still being written
      searching_ = false;
      if (length > most_bytes_) {
        ++notes.large_records;
        if (at + whole >= bytes.size()) return {at + whole, kRecordHeader};
        at += whole;
        continue;
      }
      if (whole > bytes.size() - at) return {at, whole};
      const std::string_view record(header + kRecordHeader, length);
      if (load<std::uint32_t>(record.data() + length) == masked(crc32c(record))) {
        each(record, at);
      } else {
        ++notes.damaged_records;
      }
      at += whole;
    }
    return {at, kRecordHeader};
  }

 private:
  template <class Word>
  static Word load(const char* from) {
    Word word = 0;
    std::memcpy(&word, from, sizeof word);
    return word;
  }

  std::uint64_t most_bytes_;
  bool searching_ = false;  // for the next record, since there was none where one should begin
};

}  // namespace trainyard::monitor
