#pragma once

#include "base/clock.h"

#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard::cli {

/// Puts the lines of several logs, each in its own order, in the order of their times. Lines come
/// in with their time in front, as a server writes them when it is asked for timestamps.
class LogMerger {
 public:
  struct Line {
    std::size_t source = 0;
    WallTime time;
    std::string text;  // with its line end, if it has one; without its time unless asked for
  };

  LogMerger(std::size_t sources, bool keep_times);

  void put(std::size_t source, std::string_view bytes);
  void end(std::size_t source);
  /// Sources of which more must be known before the next line can be told.
  std::vector<std::size_t> wanted() const;
  /// The next lines: all that are certain to come before what is still unknown.
  std::vector<Line> take();

 private:
  struct Source {
    std::deque<Line> lines;
    std::string rest;
    WallTime last;
    bool ended = false;
  };
  void add_line(std::size_t number, std::string text);

  std::vector<Source> sources_;
  bool keep_times_;
};

}  // namespace trainyard::cli
