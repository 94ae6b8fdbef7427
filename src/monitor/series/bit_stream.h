#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace trainyard::monitor {

/// Bits behind each other, the highest of each number first.
class BitWriter {
 public:
  /// The lowest `count` bits of `value`; at most 64.
  void put(std::uint64_t value, unsigned count) {
    while (count > 0) {
      if (free_ == 0) {
        bytes_ += '\0';
        free_ = 8;
      }
      const unsigned now = count < free_ ? count : free_;
      const std::uint64_t part = (value >> (count - now)) & ((1U << now) - 1U);
      auto& last = reinterpret_cast<unsigned char&>(bytes_.back());
      last = static_cast<unsigned char>(last | (part << (free_ - now)));
      free_ -= now;
      count -= now;
    }
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
  unsigned free_ = 0;  // bits of the last byte
};

/// Behind the end there are zeros, and ok() is false.
class BitReader {
 public:
  explicit BitReader(std::string_view bytes) : bytes_(bytes) {}

  /// At most 64.
  std::uint64_t take(unsigned count) {
    if (count == 0) return 0;
    if (count > kAtOnce) {
      const std::uint64_t high = take(count - 32);
      return high << 32 | take(32);
    }
    const std::uint64_t word = word_at(at_ / 8) << (at_ % 8);
    at_ += count;
    return word >> (64 - count);
  }
  bool ok() const { return at_ <= bytes_.size() * 8; }

 private:
  static constexpr unsigned kAtOnce =
      64 - 7;  // that are in a word, wherever they begin in its first byte

  std::uint64_t word_at(std::size_t byte) const {
    std::uint64_t word = 0;
    if (byte + sizeof word <= bytes_.size()) {
      std::memcpy(&word, bytes_.data() + byte, sizeof word);
      return std::endian::native == std::endian::little ? __builtin_bswap64(word) : word;
    }
    for (std::size_t i = 0; i < sizeof word; ++i) {
      const bool there = byte + i < bytes_.size();
      word = word << 8 | (there ? static_cast<unsigned char>(bytes_[byte + i]) : 0U);
    }
    return word;
  }

  std::string_view bytes_;
  std::size_t at_ = 0;  // bits
};

}  // namespace trainyard::monitor
