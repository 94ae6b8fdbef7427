#pragma once

#include "shim/files.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace trainyard::shim {

/// How much of a log is kept.
struct LogSizes {
  std::uint64_t segment = std::uint64_t{64} << 20;  // bytes after which the next file is begun
  std::uint64_t limit = 0;                          // of all files together; 0: none
};

/// The files of one log: DIR/log, then DIR/log.1, DIR/log.2, … A file keeps its name and is never
/// written again once the next one is there, so readers can pass from one to the next. Beyond the
/// limit the oldest file goes. DIR/log.lines tells how many lines each begins after.
class LogSegments {
 public:
  /// `dir` is DIR, open; `first` is DIR/log, open for appending.
  LogSegments(int dir, Fd first, LogSizes sizes);

  /// As write(2); ENOSPC also when hardly anything is left of the disk. Logs grow without end, and
  /// with the last bytes the server could not even note that somebody wants a container to go.
  ssize_t write(const char* bytes, std::size_t size);
  /// Begins the next file when this one is full. Only between records. Where no file can be made,
  /// the current one goes on growing: better too long than lost. `lines`, as many as have ended so
  /// far, are noted beside it: who reads a file finds its numbers though those before are gone.
  void roll_if_full(std::uint64_t lines);
  bool sync();

  static std::string name(std::uint64_t number);

 private:
  void note_lines(std::uint64_t lines) const;
  std::uint64_t room_for(std::size_t size);

  int dir_;
  Fd file_;
  std::uint64_t room_ = 0;  // on the disk, as far as is known without looking again
  LogSizes sizes_;
  std::uint64_t size_ = 0;  // of the current file
  std::uint64_t first_ = 0;
  std::uint64_t current_ = 0;
};

}  // namespace trainyard::shim
