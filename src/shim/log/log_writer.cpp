#include "shim/log/log_writer.h"

#include "shim/stamp.h"

#include <cerrno>
#include <tuple>
#include <utility>

namespace trainyard::shim {
namespace {

constexpr std::size_t kPieceSize = std::size_t{64} * 1024;
constexpr std::int64_t kSilenceMs = 100;

}  // namespace

LogWriter::LogWriter(LogSegments files)
    : files_(std::move(files)),
      sources_{Source{LogFramer("stdout")}, Source{LogFramer("stderr")}},
      buffer_(kPieceSize) {}

LogWriter::Took LogWriter::take(Stream stream, int pipe, std::int64_t now_ms) {
  ssize_t count = ::read(pipe, buffer_.data(), buffer_.size());
  if (count < 0) return errno == EAGAIN || errno == EINTR ? Took::kNothing : Took::kEnd;
  if (count == 0) return Took::kEnd;
  Source& source = sources_[static_cast<std::size_t>(stream)];
  source.flush_at_ms = now_ms + kSilenceMs;
  piece_framer_ = &source.framer;
  piece_size_ = static_cast<std::size_t>(count);
  used_ = 0;
  piece_stamp_ = next_stamp();
  pump();
  return Took::kSomething;
}

void LogWriter::flush_silent(std::int64_t now_ms) {
  for (Source& source : sources_) {
    if (source.framer.holds_text() && source.flush_at_ms <= now_ms) {
      source.framer.flush(next_stamp(), out_);
    }
  }
  pump();
}

void LogWriter::flush_now() {
  flush_silent(INT64_MAX);
}

std::optional<std::int64_t> LogWriter::next_flush_ms() const {
  std::optional<std::int64_t> next;
  for (const Source& source : sources_) {
    if (!source.framer.holds_text()) continue;
    if (!next || source.flush_at_ms < *next) next = source.flush_at_ms;
  }
  return next;
}

bool LogWriter::finish() {
  // While an older piece is stuck, what is held back belongs behind it and is lost with it.
  if (!is_stuck()) {
    for (Source& source : sources_) source.framer.flush(next_stamp(), out_);
    pump();
  }
  return files_.sync() && !is_stuck();
}

void LogWriter::pump() {
  while (write_out() && used_ < piece_size_) {
    used_ += piece_framer_->feed({buffer_.data() + used_, piece_size_ - used_}, piece_stamp_, out_);
  }
}

bool LogWriter::write_out() {
  while (sent_ < out_.size()) {
    ssize_t count = files_.write(out_.data() + sent_, out_.size() - sent_);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;  // most likely ENOSPC; the next pump() tries again
    sent_ += static_cast<std::size_t>(count);
  }
  if (!out_.empty()) {
    files_.roll_if_full(sources_[0].framer.lines() + sources_[1].framer.lines());
  }
  out_.clear();
  sent_ = 0;
  return true;
}

std::string LogWriter::next_stamp() {
  timespec now = wall_now();
  // The wall clock may be set back; readers that search by time rely on order.
  if (std::tie(now.tv_sec, now.tv_nsec) > std::tie(last_time_.tv_sec, last_time_.tv_nsec)) {
    last_time_ = now;
  }
  return format_stamp(last_time_);
}

}  // namespace trainyard::shim
