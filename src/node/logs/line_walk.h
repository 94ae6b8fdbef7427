#pragma once

#include "node/logs/log_search.h"
#include "node/logs/log_segments.h"

#include <string>
#include <string_view>

namespace trainyard::node {

/// A line of a log as its reader sees it: put together where it came in pieces. Valid until the
/// next one.
struct LogLine {
  std::int64_t number = 0;
  std::string_view time;
  std::string_view text;
  bool ended = true;  // false: the last one, whose end is not written yet
};

/// Goes through a log line by line, over the borders of its files.
class LineWalk {
 public:
  /// Line `number` begins at `place`.
  LineWalk(const std::filesystem::path& folder, LogPlace place, std::int64_t number);
  /// The next line; false at the end of what is written.
  Result<bool> next(LogLine& line);
  /// How many bytes were read so far.
  std::int64_t bytes() const { return bytes_; }

 private:
  Result<bool> next_record(std::string_view& record);

  SegmentReader reader_;
  Result<> opened_;
  std::int64_t number_;
  std::int64_t bytes_ = 0;
  std::string buffer_;
  std::size_t at_ = 0;  // in buffer_: what is before it was given out
  std::string joined_;  // of records that were not the end of their line
  std::string time_;
  bool in_line_ = false;
};

/// What a terminal would show of a line, without its colours: what people look for.
std::string_view without_codes(std::string_view text, std::string& scratch);

}  // namespace trainyard::node
