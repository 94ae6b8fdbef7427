// The format: https://www.sqlite.org/fileformat2.html#walformat
#include "store/wal_scan.h"

#include "base/files/files.h"

#include <cstdint>

namespace trainyard::store {
namespace {

constexpr std::size_t kHeaderSize = 32;
constexpr std::size_t kFrameHeaderSize = 24;
constexpr std::uint32_t kMagic = 0x377f0682;  // its last bit: words are summed big-endian

std::uint32_t word_at(std::string_view bytes, std::size_t at, bool big_endian = true) {
  std::uint32_t word = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const auto byte = static_cast<unsigned char>(bytes[at + (big_endian ? i : 3 - i)]);
    word = word << 8 | byte;
  }
  return word;
}

/// SQLite's: each frame goes on from the sum of the one before.
struct Sum {
  std::uint32_t a = 0;
  std::uint32_t b = 0;

  void add(std::string_view bytes, bool big_endian) {
    for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
      a += word_at(bytes, at, big_endian) + b;
      b += word_at(bytes, at + 4, big_endian) + a;
    }
  }
  bool matches(std::string_view bytes, std::size_t at) const {
    return a == word_at(bytes, at) && b == word_at(bytes, at + 4);
  }
};

bool is_page_size(std::uint32_t size) {
  return size >= 512 && size <= 65536 && (size & (size - 1)) == 0;
}

}  // namespace

WalTail scan_wal(std::string_view log) {
  WalTail tail;
  if (log.size() < kHeaderSize + kFrameHeaderSize) return tail;
  const std::uint32_t magic = word_at(log, 0);
  const bool big_endian = (magic & 1) != 0;
  const std::uint32_t told_size = word_at(log, 8);
  Sum sum;
  sum.add(log.substr(0, 24), big_endian);
  bool readable = (magic & ~1U) == kMagic && is_page_size(told_size) && sum.matches(log, 24);
  // Without its header, a log is read as ours are made.
  const std::size_t page = readable ? told_size : 4096;
  const std::string_view salts = log.substr(readable ? 16 : kHeaderSize + 8, 8);
  bool behind_commit = false;
  for (std::size_t at = kHeaderSize; at + kFrameHeaderSize + page <= log.size();
       at += kFrameHeaderSize + page) {
    const std::string_view frame = log.substr(at, kFrameHeaderSize + page);
    // Frames of an earlier round have other salts.
    if (frame.substr(8, 8) != salts || word_at(frame, 0) == 0) {
      readable = false;
      continue;
    }
    if (readable) {
      sum.add(frame.substr(0, 8), big_endian);
      sum.add(frame.substr(kFrameHeaderSize), big_endian);
      readable = sum.matches(frame, 16);
    }
    if (readable) continue;
    tail.leftover = true;
    if (behind_commit) tail.lost_commits = true;
    behind_commit = behind_commit || word_at(frame, 4) != 0;
  }
  return tail;
}

Result<WalTail> scan_wal_file(const std::filesystem::path& file) {
  const auto log = read_file(file);
  if (log.failed_with(Code::kNotFound)) return WalTail();
  if (!log) return log.error();
  return scan_wal(*log);
}

}  // namespace trainyard::store
