#pragma once

#include "shim/log/log_framer.h"
#include "shim/log_segments.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <vector>

namespace trainyard::shim {

enum class Stream : std::size_t { kStdout = 0, kStderr = 1 };

/// Carries the container's output from its pipes into the files of its log. When the disk is full
/// it keeps what it has read and reads no more, so the container blocks instead of losing lines.
class LogWriter {
 public:
  enum class Took { kSomething, kNothing, kEnd };

  explicit LogWriter(LogSegments files);

  /// Reads one piece from `pipe` and writes its records. Only while it is not stuck().
  Took take(Stream stream, int pipe, std::int64_t now_ms);

  /// True when there are bytes that the disk did not accept.
  bool is_stuck() const { return sent_ < out_.size() || used_ < piece_size_; }
  /// How many.
  std::size_t unwritten() const { return out_.size() - sent_ + piece_size_ - used_; }

  /// Shows unfinished lines that have been silent long enough as they are, and tries again to
  /// write what is stuck.
  void flush_silent(std::int64_t now_ms);
  /// Shows unfinished lines at once.
  void flush_now();
  /// When flush_silent() has something to do next.
  std::optional<std::int64_t> next_flush_ms() const;

  /// Writes everything held back and makes it durable. False: bytes were lost.
  bool finish();

 private:
  struct Source {
    LogFramer framer;
    std::int64_t flush_at_ms = 0;
  };

  void pump();
  bool write_out();
  std::string next_stamp();

  LogSegments files_;
  std::array<Source, 2> sources_;
  timespec last_time_{};
  // The piece being framed: bytes [used_, piece_size_) of buffer_ have yet to go into out_.
  std::vector<char> buffer_;
  std::size_t piece_size_ = 0;
  std::size_t used_ = 0;
  LogFramer* piece_framer_ = nullptr;
  std::string piece_stamp_;
  // Records being written: bytes from sent_ on have yet to reach the file.
  std::string out_;
  std::size_t sent_ = 0;
};

}  // namespace trainyard::shim
