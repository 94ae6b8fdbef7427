#include "node/log_file.h"

#include "base/files.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>

#include <cerrno>
#include <fcntl.h>
#include <sys/inotify.h>
#include <unistd.h>

namespace trainyard::node {
namespace {

namespace asio = boost::asio;
constexpr std::size_t kPiece = 64UL * 1024;

/// TIME ' ' stream ' ' tag ' ' text
struct Record {
  std::string_view time;
  bool partial = false;
  std::string_view text;
};

Record read_record(std::string_view line) {
  Record record;
  const std::size_t first = line.find(' ');
  const std::size_t second = line.find(' ', first + 1);
  if (first == std::string_view::npos || second == std::string_view::npos ||
      second + 2 >= line.size()) {
    record.text = line;  // not ours; better shown as it is than lost
    return record;
  }
  record.time = line.substr(0, first);
  record.partial = line[second + 1] == 'P';
  record.text = line.substr(second + 3);
  return record;
}

awaitable<void> wait_for_change(asio::posix::stream_descriptor& descriptor) {
  co_await descriptor.async_wait(asio::posix::stream_descriptor::wait_read,
                                 asio::as_tuple(asio::use_awaitable));
}

}  // namespace

LogDecoder::LogDecoder(const client::LogOptions& options)
    : timestamps_(options.timestamps),
      limited_(options.limit_bytes.has_value()),
      left_(options.limit_bytes.value_or(0)) {
  if (options.since) since_ = format_time(*options.since).substr(0, 19);
}

std::string LogDecoder::decode(std::string& records) {
  std::string out;
  std::size_t start = 0;
  std::size_t end = 0;
  while (!full() && (end = records.find('\n', start)) != std::string::npos) {
    const Record record = read_record(std::string_view(records).substr(start, end - start));
    start = end + 1;
    const bool line_begins = !in_line_;
    in_line_ = record.partial;
    if (!since_.empty() && record.time.substr(0, 19) < since_) continue;
    const std::size_t before = out.size();
    if (timestamps_ && line_begins) {
      out += record.time;
      out += ' ';
    }
    out += record.text;
    if (!record.partial) out += '\n';
    if (limited_) {
      const auto added = static_cast<std::int64_t>(out.size() - before);
      if (added > left_) out.resize(before + static_cast<std::size_t>(left_));
      left_ -= std::min(added, left_);
    }
  }
  records.erase(0, start);
  return out;
}

std::int64_t tail_offset(int fd, std::int64_t lines) {
  const off_t size = ::lseek(fd, 0, SEEK_END);
  if (lines <= 0) return size;
  // Backwards by pieces; a record ends a line when its tag is F, so a line begins after such one.
  std::string tail;
  off_t begin = size;
  std::int64_t found = 0;
  off_t scanned_to = size;  // records that begin at or after this have been looked at
  while (begin > 0) {
    const auto piece = static_cast<off_t>(std::min<std::int64_t>(begin, kPiece));
    std::string block(static_cast<std::size_t>(piece), '\0');
    begin -= piece;
    if (::pread(fd, block.data(), block.size(), begin) != piece) break;
    tail.insert(0, block);
    // Records from the end of what has not been looked at down to the first whole one.
    std::size_t stop = static_cast<std::size_t>(scanned_to - begin);
    while (stop > 0) {
      const std::size_t newline = stop < 2 ? std::string::npos : tail.rfind('\n', stop - 2);
      if (newline == std::string::npos && begin > 0) break;
      const std::size_t start = newline == std::string::npos ? 0 : newline + 1;
      const Record record = read_record(std::string_view(tail).substr(start, stop - start - 1));
      if (!record.partial && found++ == lines) return begin + static_cast<off_t>(stop);
      stop = start;
      scanned_to = begin + static_cast<off_t>(stop);
    }
    tail.resize(stop);
  }
  return 0;
}

struct LogFile::Watch {
  Watch(const Executor& loop, const std::filesystem::path& file) : descriptor(loop) {
    const int inotify = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (inotify < 0) return;  // too many: then the look each second has to do
    descriptor.assign(inotify);
    // Closed after writing: also by the death of a shim that leaves no report.
    ::inotify_add_watch(descriptor.native_handle(), file.c_str(), IN_MODIFY | IN_CLOSE_WRITE);
    // The folder tells of the exit report, which appears by rename.
    ::inotify_add_watch(descriptor.native_handle(), file.parent_path().c_str(), IN_MOVED_TO);
  }
  void drain() {
    char buffer[4096];
    while (::read(descriptor.native_handle(), buffer, sizeof buffer) > 0) {
    }
  }
  asio::posix::stream_descriptor descriptor;
};

LogFile::LogFile(Executor loop, Clock& clock, std::filesystem::path path,
                 client::LogOptions options, std::function<bool()> ended)
    : loop_(std::move(loop)),
      clock_(clock),
      path_(std::move(path)),
      options_(std::move(options)),
      ended_(std::move(ended)),
      decoder_(options_) {}

LogFile::~LogFile() = default;

Result<> LogFile::open() {
  file_ = UniqueFd(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file_.valid()) {
    // Nothing was written yet: an empty log, which a follower waits for.
    if (errno == ENOENT) return Ok();
    return io_error("reading", path_, errno);
  }
  const std::int64_t offset =
      options_.tail_lines ? tail_offset(file_.get(), *options_.tail_lines) : 0;
  ::lseek(file_.get(), offset, SEEK_SET);
  return Ok();
}

Result<std::string> LogFile::read_more() {
  if (!file_.valid()) {
    file_ = UniqueFd(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file_.valid()) return std::string();
  }
  std::string out;
  while (out.empty() && !decoder_.full()) {
    const std::size_t before = pending_.size();
    pending_.resize(before + kPiece);
    const ssize_t got = ::read(file_.get(), pending_.data() + before, kPiece);
    pending_.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got < 0) return io_error("reading", path_, errno);
    if (got == 0) break;
    out = decoder_.decode(pending_);
  }
  return out;
}

awaitable<Result<std::string>> LogFile::read() {
  using namespace asio::experimental::awaitable_operators;
  while (true) {
    // Watch before the last look, and ask for the end before reading: nothing falls in between.
    if (options_.follow && !watch_) watch_ = std::make_unique<Watch>(loop_, path_);
    const bool ended = !options_.follow || ended_();
    CO_TRY(std::string out, read_more());
    if (!out.empty() || ended || decoder_.full()) co_return out;
    // The file may not have existed when the watch was made: then only the folder tells, late.
    if (!file_.valid()) {
      watch_.reset();
      co_await clock_.sleep_for(std::chrono::milliseconds(20));
      continue;
    }
    // A killed shim closes its log before it lets go of its lock: then nothing more happens here.
    if (watch_->descriptor.is_open()) {
      co_await (wait_for_change(watch_->descriptor) || clock_.sleep_for(std::chrono::seconds(1)));
      watch_->drain();
    } else {
      co_await clock_.sleep_for(std::chrono::seconds(1));
    }
  }
}

}  // namespace trainyard::node
