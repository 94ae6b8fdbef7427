#include "node/logs/log_search.h"

#include "base/files/files.h"
#include "base/files/unique_fd.h"
#include "node/logs/log_records.h"
#include "node/logs/log_segments.h"

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <fcntl.h>
#include <unistd.h>

namespace trainyard::node {
namespace {

constexpr int kScansATurn = 32;  // about a millisecond's work

/// Reads one file backwards, record by record from its end.
class BackwardScan {
 public:
  explicit BackwardScan(UniqueFd file)
      : file_(std::move(file)), begin_(::lseek(file_.get(), 0, SEEK_END)) {}

  bool at_beginning() const { return begin_ == 0; }
  /// Takes one piece more into view and calls `visit(record, offset behind it)` for each record
  /// that is whole by now, the last one first, until that returns false.
  template <class Visit>
  bool step(Visit visit) {
    constexpr std::int64_t kLongest = 64 << 10;
    const std::int64_t piece = std::min(begin_, kLongest);
    std::string block(static_cast<std::size_t>(piece), '\0');
    begin_ -= piece;
    if (::pread(file_.get(), block.data(), block.size(), begin_) != piece) block.clear();
    view_ = block + view_;
    while (!view_.empty()) {
      const std::size_t newline =
          view_.size() < 2 ? std::string::npos : view_.rfind('\n', view_.size() - 2);
      if (newline == std::string::npos && begin_ > 0) return true;  // it begins further ahead
      const std::size_t start = newline == std::string::npos ? 0 : newline + 1;
      const std::int64_t end = begin_ + static_cast<std::int64_t>(view_.size());
      const LogRecord record =
          read_record(std::string_view(view_).substr(start, view_.size() - start - 1));
      if (!visit(record, end)) return false;
      view_.resize(start);
    }
    return true;
  }

 private:
  UniqueFd file_;
  std::int64_t begin_;
  std::string view_;  // from begin_ on, up to what has been visited
};

UniqueFd open_segment(const std::filesystem::path& folder, std::uint64_t number) {
  return UniqueFd(::open((folder / segment_name(number)).c_str(), O_RDONLY | O_CLOEXEC));
}

std::int64_t size_of(const std::filesystem::path& folder, std::uint64_t number) {
  std::error_code failed;
  const auto size = std::filesystem::file_size(folder / segment_name(number), failed);
  return failed ? 0 : static_cast<std::int64_t>(size);
}

/// Counts the ends of lines from the end of the log; the one before the wanted lines is the place.
awaitable<Result<LogPlace>> find_tail(Executor loop, std::filesystem::path folder,
                                      client::LogOptions options,
                                      std::vector<std::uint64_t> segments) {
  LogPlace place;
  std::int64_t found = 0;
  bool seen = false;
  const auto visit = [&](const LogRecord& record, std::int64_t end) {
    if (options.stream && record.stream != *options.stream) return true;
    if (record.partial && !seen) ++found;  // the last line, which has no end yet
    seen = true;
    if (record.partial || found++ < *options.tail_lines) return true;
    place.offset = end;
    return false;
  };
  for (auto segment = segments.rbegin(); segment != segments.rend(); ++segment) {
    place.segment = *segment;
    UniqueFd file = open_segment(folder, *segment);
    if (!file.valid()) continue;
    BackwardScan scan(std::move(file));
    for (int pieces = 1; !scan.at_beginning(); ++pieces) {
      if (!scan.step(visit)) co_return place;
      if (pieces % kScansATurn == 0) co_await boost::asio::post(loop, boost::asio::use_awaitable);
    }
  }
  co_return place;
}

/// The time of the first record that begins at or after `offset`, and where that is; empty at the
/// end.
std::string time_after(int fd, std::int64_t& offset) {
  std::string view(2 * kLongestRecord, '\0');
  // From the byte before on: a record that begins exactly here is meant, too.
  const std::int64_t from = offset == 0 ? 0 : offset - 1;
  const ssize_t size = ::pread(fd, view.data(), view.size(), from);
  view.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  const std::size_t newline = offset == 0 ? 0 : view.find('\n');
  const std::size_t start = offset == 0 ? 0 : newline + 1;
  if (newline == std::string::npos || start >= view.size()) return {};
  offset = from + static_cast<std::int64_t>(start);
  const std::string_view line = std::string_view(view).substr(start);
  return std::string(comparable_time(read_record(line.substr(0, line.find('\n'))).time));
}

}  // namespace

LogPlace place_of_time(const std::filesystem::path& folder, const std::string& since,
                       const std::vector<std::uint64_t>& segments) {
  LogPlace place;
  for (auto segment = segments.rbegin(); segment != segments.rend(); ++segment) {
    place = {*segment, 0};
    const UniqueFd file = open_segment(folder, *segment);
    if (!file.valid()) continue;
    std::int64_t start = 0;
    const std::string first = time_after(file.get(), start);
    if (first.empty() || first >= since) continue;  // the place may be in a file before
    place.offset = offset_of_time(file.get(), since);
    break;
  }
  return place;
}

std::int64_t offset_of_time(int fd, const std::string& since) {
  // Records before `low` are older; the one that begins at or after `high` is not, or is the end.
  std::int64_t low = 0;
  std::int64_t high = ::lseek(fd, 0, SEEK_END);
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    std::int64_t record = middle;
    const std::string time = time_after(fd, record);
    if (time.empty() || time >= since) {
      high = middle;
    } else {
      low = record + 1;
    }
  }
  std::int64_t record = low;
  return time_after(fd, record).empty() ? ::lseek(fd, 0, SEEK_END) : record;
}

awaitable<Result<LogPlace>> find_start(Executor loop, std::filesystem::path folder,
                                       client::LogOptions options) {
  std::vector<std::uint64_t> segments = list_segments(folder);
  if (segments.empty()) co_return LogPlace{};
  if (options.tail_lines && *options.tail_lines <= 0) {
    co_return LogPlace{segments.back(), size_of(folder, segments.back())};
  }
  if (options.tail_lines) {
    co_return co_await find_tail(std::move(loop), std::move(folder), std::move(options),
                                 std::move(segments));
  }
  if (options.since) co_return place_of_time(folder, comparable_time(*options.since), segments);
  co_return LogPlace{segments.front(), 0};
}

}  // namespace trainyard::node
