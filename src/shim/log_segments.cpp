#include "shim/log_segments.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/statvfs.h>

namespace trainyard::shim {
namespace {

// What logs leave of a disk to others: a part of it, of a large one so much.
constexpr std::uint64_t kShareKept = 32;
constexpr std::uint64_t kMostKept = std::uint64_t{64} << 20;
constexpr std::uint64_t kMostUnseen = std::uint64_t{4} << 20;

}  // namespace

LogSegments::LogSegments(int dir, Fd first, LogSizes sizes)
    : dir_(dir), file_(std::move(first)), sizes_(sizes) {}

std::string LogSegments::name(std::uint64_t number) {
  return number == 0 ? "log" : "log." + std::to_string(number);
}

std::uint64_t LogSegments::room_for(std::size_t size) {
  struct statvfs disk{};
  if (room_ >= size) return room_;
  if (::fstatvfs(file_.get(), &disk) != 0 || disk.f_blocks == 0) return size;
  const std::uint64_t kept = std::min(kMostKept, disk.f_blocks * disk.f_frsize / kShareKept);
  const std::uint64_t left = disk.f_bavail * disk.f_frsize;
  // Others write too: what is far away need not be looked at often.
  return left > kept ? std::min(left - kept, kMostUnseen) : 0;
}

ssize_t LogSegments::write(const char* bytes, std::size_t size) {
  room_ = room_for(size);
  if (room_ == 0) {
    errno = ENOSPC;
    return -1;
  }
  size = std::min<std::uint64_t>(size, room_);
  ssize_t count = ::write(file_.get(), bytes, size);
  if (count <= 0) return count;
  size_ += static_cast<std::uint64_t>(count);
  room_ -= static_cast<std::uint64_t>(count);
  return count;
}

void LogSegments::roll_if_full(std::uint64_t lines) {
  if (size_ < sizes_.segment) return;
  constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC;
  Fd next(::openat(dir_, name(current_ + 1).c_str(), kFlags, 0644));
  if (!next.valid()) return;
  file_ = std::move(next);
  ++current_;
  size_ = 0;
  note_lines(lines);
  if (sizes_.limit == 0) return;
  // The current file counts whole, as it will be soon; one that is complete always stays.
  std::uint64_t most = std::max<std::uint64_t>(sizes_.limit / sizes_.segment, 2);
  while (current_ - first_ + 1 > most) (void)::unlinkat(dir_, name(first_++).c_str(), 0);
}

/// What cannot be noted is counted by readers, as long as the files are there.
void LogSegments::note_lines(std::uint64_t lines) const {
  constexpr int kFlags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC;
  const Fd notes(::openat(dir_, "log.lines", kFlags, 0644));
  if (!notes.valid()) return;
  const std::string note = std::to_string(current_) + " " + std::to_string(lines) + "\n";
  (void)!::write(notes.get(), note.data(), note.size());
}

bool LogSegments::sync() {
  return ::fdatasync(file_.get()) == 0;
}

}  // namespace trainyard::shim
