#pragma once

#include "client/pod_streams.h"
#include "node/logs/log_search.h"

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace trainyard::node {

/// Where in a log its lines are, by their numbers: those of the whole log, also when its first
/// files are gone. Counts what has been written since it was last asked. Not for several threads at
/// once.
class LineIndex {
 public:
  explicit LineIndex(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// Looks at what there is by now. To be called before the others.
  Result<> look();
  client::LogExtent extent() const;
  /// Where that line begins; the first that is kept for those before it, and behind the last for
  /// those after it. `line` becomes the one that begins there.
  Result<LogPlace> find_line(std::int64_t& line);
  /// The first line that is not older than the time (see comparable_time()).
  Result<std::int64_t> line_at(const std::string& time);

 private:
  struct Mark {
    std::int64_t offset = 0;
    std::int64_t lines = 0;  // of the file, before this place, where a line begins
  };
  struct Segment {
    std::int64_t first = 1;    // the number of its first line
    std::int64_t lines = 0;    // that end in what was counted
    std::int64_t counted = 0;  // bytes, up to the end of a record
    bool in_line = false;      // the last record is not the end of its line
    std::vector<Mark> marks{Mark()};
  };
  /// How many lines end before a file, as the shim has noted it; empty without a note.
  std::map<std::uint64_t, std::int64_t> read_notes() const;
  Result<> count(std::uint64_t number, Segment& segment) const;

  std::filesystem::path folder_;
  std::map<std::uint64_t, Segment> segments_;
};

/// A part of a log as text, with the times in front of lines when `timestamps` are wanted.
Result<client::LogLines> read_lines(LineIndex& index, const std::filesystem::path& folder,
                                    client::LineRange range, bool timestamps);

/// Which lines hold what is looked for. Looks at a bounded part, and says where to go on.
Result<client::LogFindings> find_lines(LineIndex& index, const std::filesystem::path& folder,
                                       const client::LogQuestion& question);

/// The indexes of logs that were asked for lately.
class LineIndexes {
 public:
  LineIndex& of(const std::filesystem::path& folder);

 private:
  struct Known {
    std::unique_ptr<LineIndex> index;
    std::uint64_t asked = 0;
  };
  std::map<std::filesystem::path, Known> known_;
  std::uint64_t questions_ = 0;
};

}  // namespace trainyard::node
