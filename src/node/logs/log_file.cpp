#include "node/logs/log_file.h"

#include "node/logs/log_search.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <sys/inotify.h>
#include <unistd.h>

namespace trainyard::node {
namespace {

namespace asio = boost::asio;
constexpr std::size_t kPiece = 64UL * 1024;
constexpr int kPiecesATurn = 16;

awaitable<void> wait_for_change(asio::posix::stream_descriptor& descriptor) {
  co_await descriptor.async_wait(asio::posix::stream_descriptor::wait_read,
                                 asio::as_tuple(asio::use_awaitable));
}

}  // namespace

/// Tells of whatever happens in the run's folder.
struct LogFile::Watch {
  Watch(const Executor& loop, const std::filesystem::path& folder) : descriptor(loop) {
    const int inotify = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (inotify < 0) return;  // too many: then the look each second has to do
    descriptor.assign(inotify);
    // Of its files: written, begun, and closed by the death of a shim that leaves no report. The
    // report itself appears by rename.
    ::inotify_add_watch(inotify, folder.c_str(),
                        IN_MODIFY | IN_CREATE | IN_CLOSE_WRITE | IN_MOVED_TO);
  }
  void drain() {
    char buffer[4096];
    while (::read(descriptor.native_handle(), buffer, sizeof buffer) > 0) {
    }
  }
  asio::posix::stream_descriptor descriptor;
};

LogFile::LogFile(Executor loop, Clock& clock, std::filesystem::path folder,
                 client::LogOptions options, std::function<bool()> ended)
    : loop_(std::move(loop)),
      clock_(clock),
      folder_(std::move(folder)),
      options_(std::move(options)),
      ended_(std::move(ended)),
      decoder_(options_),
      file_(folder_) {}

LogFile::~LogFile() = default;

awaitable<Result<>> LogFile::open() {
  CO_TRY(const LogPlace place, co_await find_start(loop_, folder_, options_));
  co_return file_.open(place.segment, place.offset);
}

Result<LogFile::Read> LogFile::read_more() {
  Read read;
  for (int pieces = 0; pieces < kPiecesATurn && read.pieces.empty() && !decoder_.full(); ++pieces) {
    TRY(read.more, file_.read(pending_, kPiece));
    if (!read.more) break;
    read.pieces = decoder_.decode(pending_);
  }
  return read;
}

awaitable<Result<std::vector<client::OutputPiece>>> LogFile::read_pieces() {
  using namespace asio::experimental::awaitable_operators;
  while (true) {
    // Watch before the last look, and ask for the end before reading: nothing falls in between.
    if (options_.follow && !watch_) watch_ = std::make_unique<Watch>(loop_, folder_);
    const bool ended = !options_.follow || ended_();
    CO_TRY(Read read, read_more());
    std::vector<client::OutputPiece>& out = read.pieces;
    if (out.empty() && read.more && !decoder_.full()) {
      // Much that was not asked for: let others run before more of it is read.
      co_await asio::post(loop_, asio::use_awaitable);
      continue;
    }
    if (out.empty() && ended && !pending_.empty() && ended_()) out = decoder_.finish(pending_);
    if (!out.empty() || ended || decoder_.full()) co_return std::move(out);
    // A killed shim closes its log before it lets go of its lock: then nothing more happens here.
    if (watch_->descriptor.is_open()) {
      co_await (wait_for_change(watch_->descriptor) || clock_.sleep_for(std::chrono::seconds(1)));
      watch_->drain();
    } else {
      co_await clock_.sleep_for(std::chrono::seconds(1));
    }
  }
}

awaitable<Result<std::string>> LogFile::read() {
  CO_TRY(std::vector<client::OutputPiece> pieces, co_await read_pieces());
  if (pieces.empty()) co_return std::string();
  std::string all = std::move(pieces.front().bytes);
  for (std::size_t i = 1; i < pieces.size(); ++i) all += pieces[i].bytes;
  co_return all;
}

}  // namespace trainyard::node
