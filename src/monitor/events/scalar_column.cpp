#include "monitor/events/scalar_column.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace trainyard::monitor {
namespace {

constexpr std::uint32_t kFirstBlock = 48;
constexpr std::uint32_t kLargestBlock = 16 << 10;
constexpr std::size_t kMostBytesOfAPoint = 10 + 10 + 8;

/// Small numbers of either sign become small numbers.
std::uint64_t fold(std::uint64_t change) {
  return (change << 1) ^ (0 - (change >> 63));
}
std::uint64_t unfold(std::uint64_t folded) {
  return (folded >> 1) ^ (0 - (folded & 1));
}

unsigned char* put_varint(unsigned char* to, std::uint64_t value) {
  while (value >= 0x80) {
    *to++ = static_cast<unsigned char>(value | 0x80U);
    value >>= 7;
  }
  *to++ = static_cast<unsigned char>(value);
  return to;
}

std::uint64_t get_varint(const unsigned char* bytes, std::size_t& at) {
  std::uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    const unsigned char byte = bytes[at++];
    value |= std::uint64_t(byte & 0x7fU) << shift;
    if (byte < 0x80) return value;
  }
}

/// Bit for bit: what a NaN carries is kept as well.
bool fits_float(double value) {
  const double back = static_cast<float>(value);
  return std::bit_cast<std::uint64_t>(back) == std::bit_cast<std::uint64_t>(value);
}

}  // namespace

void ScalarColumn::add(const ScalarPoint& point) {
  ++seen_;
  if (!wide_ && !fits_float(point.value)) {
    rebuild(true, [&](ScalarColumn& fresh) {
      Reader reader(*this);
      while (const auto old = reader.next()) fresh.append(*old);
    });
  }
  append(point);
}

ScalarPoint ScalarColumn::last() const {
  return {static_cast<std::int64_t>(step_), std::bit_cast<double>(time_), value_};
}

void ScalarColumn::append(const ScalarPoint& point) {
  Block& block = room();
  const auto step = static_cast<std::uint64_t>(point.step);
  const auto time = std::bit_cast<std::uint64_t>(point.wall_time);
  unsigned char* const begin = block.bytes.get() + block.used;
  unsigned char* to = put_varint(begin, fold(step - step_ - step_change_));
  to = put_varint(to, fold(time - time_ - time_change_));
  if (wide_) {
    std::memcpy(to, &point.value, sizeof point.value);
    to += sizeof point.value;
  } else {
    const auto narrow = static_cast<float>(point.value);
    std::memcpy(to, &narrow, sizeof narrow);
    to += sizeof narrow;
  }
  block.used += static_cast<std::uint32_t>(to - begin);
  step_change_ = step - step_;
  step_ = step;
  time_change_ = time - time_;
  time_ = time;
  value_ = point.value;
  ++size_;
  if (point.value < least_) least_ = point.value;
  if (point.value > greatest_) greatest_ = point.value;
}

ScalarColumn::Block& ScalarColumn::room() {
  if (blocks_.empty() || blocks_.back().capacity - blocks_.back().used < kMostBytesOfAPoint) {
    Block block;
    // Half as much again as there is: with thousands of curves, what is unused counts.
    block.capacity =
        static_cast<std::uint32_t>(std::clamp<std::size_t>(bytes_ / 2, kFirstBlock, kLargestBlock));
    block.bytes = std::make_unique_for_overwrite<unsigned char[]>(block.capacity);
    bytes_ += block.capacity;
    blocks_.push_back(std::move(block));
  }
  return blocks_.back();
}

std::optional<ScalarPoint> ScalarColumn::Reader::next() {
  if (given_ == column_.size_) return std::nullopt;
  ++given_;
  if (at_ == column_.blocks_[block_].used) {
    ++block_;
    at_ = 0;
  }
  const unsigned char* bytes = column_.blocks_[block_].bytes.get();
  step_change_ += unfold(get_varint(bytes, at_));
  step_ += step_change_;
  time_change_ += unfold(get_varint(bytes, at_));
  time_ += time_change_;
  ScalarPoint point{static_cast<std::int64_t>(step_), std::bit_cast<double>(time_), 0};
  if (column_.wide_) {
    std::memcpy(&point.value, bytes + at_, sizeof point.value);
    at_ += sizeof point.value;
  } else {
    float narrow = 0;
    std::memcpy(&narrow, bytes + at_, sizeof narrow);
    point.value = narrow;
    at_ += sizeof narrow;
  }
  return point;
}

void ScalarColumn::rebuild(bool wide, const std::function<void(ScalarColumn&)>& change) {
  ScalarColumn fresh;
  fresh.wide_ = wide;
  change(fresh);
  fresh.seen_ = seen_;
  *this = std::move(fresh);
}

void ScalarColumn::thin() {
  rebuild(wide_, [&](ScalarColumn& fresh) {
    Reader reader(*this);
    std::vector<ScalarPoint> four;
    const auto keep_extremes = [&] {
      const auto lower = [](const ScalarPoint& a, const ScalarPoint& b) {
        return a.value < b.value;
      };
      const auto [low, high] = std::minmax_element(four.begin(), four.end(), lower);
      for (auto point = four.begin(); point != four.end(); ++point) {
        if (point == low || point == high) fresh.append(*point);
      }
      four.clear();
    };
    while (const auto point = reader.next()) {
      four.push_back(*point);
      if (four.size() == 4) keep_extremes();
    }
    for (const ScalarPoint& point : four) fresh.append(point);  // the newest stay as they are
  });
}

void ScalarColumn::drop_from(std::int64_t step) {
  rebuild(wide_, [&](ScalarColumn& fresh) {
    Reader reader(*this);
    while (const auto point = reader.next()) {
      if (point->step < step) fresh.append(*point);
    }
  });
}

}  // namespace trainyard::monitor
