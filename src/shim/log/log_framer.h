#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace trainyard::shim {

/// Turns one output stream of the container into records of the log (the CRI's form):
///
///   2026-11-16T01:02:03.123456789Z stdout F a whole line
///   2026-11-16T01:02:03.123456789Z stdout P the beginning of a line, to be continued
///
/// Byte-exact: joining the texts, with a newline after each F, gives the stream back. Pure: bytes
/// and a time stamp in, records out.
class LogFramer {
 public:
  /// No record carries more text than this: readers can use fixed buffers.
  static constexpr std::size_t kMaxText = std::size_t{16} * 1024;
  /// feed() stops when `out` has grown this far, which bounds the memory of the shim even if
  /// every byte is a newline (each costs 41 bytes of log).
  static constexpr std::size_t kOutLimit = std::size_t{256} * 1024;

  explicit LogFramer(std::string_view stream) : stream_(stream) {}

  /// Appends records to `out` and returns how many bytes of `piece` it took; call it again with
  /// the rest when `out` has been written. The end of an unfinished line is held back.
  std::size_t feed(std::string_view piece, std::string_view stamp, std::string& out);
  /// Writes what is held back as a P record.
  void flush(std::string_view stamp, std::string& out);
  bool holds_text() const { return !held_.empty(); }
  /// How many have ended so far.
  std::uint64_t lines() const { return lines_; }

 private:
  void put_record(std::string_view stamp, char tag, std::string_view text, std::string& out);

  std::string_view stream_;
  std::uint64_t lines_ = 0;
  std::string held_;  // the unfinished line, at most kMaxText
};

}  // namespace trainyard::shim
