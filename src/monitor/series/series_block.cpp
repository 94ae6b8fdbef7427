#include "monitor/series/series_block.h"

#include "monitor/crc32c.h"
#include "monitor/series/bit_stream.h"

#include <bit>
#include <cmath>
#include <cstring>

namespace trainyard::monitor {
namespace {

constexpr std::uint32_t kMark = 0x31735954;  // TYs1
constexpr std::size_t kHeader = 12;
constexpr std::size_t kFacts = 2 + 2 + 1 + 8 + 8;
constexpr std::uint8_t kRanges = 1;
constexpr std::size_t kMostBlockBytes = 64 << 20;
constexpr std::int64_t kMostTime = std::int64_t(1) << 61;  // so that differences are numbers

template <class Number>
void put(std::string& to, Number number) {
  const auto bits = static_cast<std::make_unsigned_t<Number>>(number);
  for (std::size_t i = 0; i < sizeof bits; ++i) to += static_cast<char>(bits >> (8 * i));
}

template <class Number>
Number take(std::string_view& from) {
  Number number{};
  const std::string_view bytes = from.substr(0, sizeof number);
  std::memcpy(&number, bytes.data(), bytes.size());
  from.remove_prefix(sizeof number);
  return number;
}

// ---- times ------------------------------------------------------------------------------------

/// How many bits a change takes, behind how many ones: small changes are the most frequent.
struct TimeClass {
  unsigned prefix;
  unsigned prefix_bits;
  unsigned bits;
};
constexpr TimeClass kTimeClasses[] = {
    {0b10, 2, 7}, {0b110, 3, 10}, {0b1110, 4, 20}, {0b1111, 4, 64}};

void put_change(BitWriter& bits, std::int64_t change) {
  if (change == 0) return bits.put(0, 1);
  for (const TimeClass& one : kTimeClasses) {
    const std::int64_t most = one.bits == 64 ? 0 : std::int64_t(1) << (one.bits - 1);
    if (one.bits != 64 && (change < -most || change >= most)) continue;
    bits.put(one.prefix, one.prefix_bits);
    return bits.put(static_cast<std::uint64_t>(change), one.bits);
  }
}

std::uint64_t take_change(BitReader& bits) {
  if (bits.take(1) == 0) return 0;
  for (const TimeClass& one : kTimeClasses) {
    if (one.bits != 64 && bits.take(1) != 0) continue;
    const std::uint64_t value = bits.take(one.bits);
    const unsigned unused = 64 - one.bits;  // its sign
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value << unused) >> unused);
  }
  return 0;
}

/// The end of each row, and its begin where it is not the end of the one before. Differences wrap
/// around, so that every number can be said.
std::string write_times(std::span<const SeriesRow> rows) {
  BitWriter bits;
  std::uint64_t last = static_cast<std::uint64_t>(rows.front().span.begin);
  std::uint64_t step = 0;
  for (const SeriesRow& row : rows) {
    const auto begin = static_cast<std::uint64_t>(row.span.begin);
    const auto end = static_cast<std::uint64_t>(row.span.end);
    put_change(bits, static_cast<std::int64_t>(begin - last));
    put_change(bits, static_cast<std::int64_t>(end - begin - step));
    step = end - begin;
    last = end;
  }
  return bits.bytes();
}

// ---- values -----------------------------------------------------------------------------------

std::string write_values(std::span<const SeriesRow> rows, std::size_t metric,
                         float ValueRange::* which) {
  BitWriter bits;
  auto last = std::bit_cast<std::uint32_t>(rows.front().values[metric].*which);
  bits.put(last, 32);
  unsigned zeros = 33;  // before what differs, as last said; at first nothing was
  unsigned length = 0;
  for (const SeriesRow& row : rows.subspan(1)) {
    const auto value = std::bit_cast<std::uint32_t>(row.values[metric].*which);
    const std::uint32_t differs = value ^ last;
    last = value;
    if (differs == 0) {
      bits.put(0, 1);
      continue;
    }
    const auto leading = static_cast<unsigned>(std::countl_zero(differs));
    const auto trailing = static_cast<unsigned>(std::countr_zero(differs));
    const bool fits = leading >= zeros && 32 - trailing <= zeros + length;
    // What fits into a wide window may still be cheaper to say with one of its own.
    if (fits && length <= 32 - leading - trailing + 10) {
      bits.put(0b10, 2);
    } else {
      zeros = leading;
      length = 32 - leading - trailing;
      bits.put(0b11, 2);
      bits.put(zeros, 5);
      bits.put(length - 1, 5);
    }
    bits.put(differs >> (32 - zeros - length), length);
  }
  return bits.bytes();
}

bool read_values(std::string_view stream, std::size_t rows, float ValueRange::* which,
                 std::vector<ValueRange>& to) {
  BitReader bits(stream);
  auto value = static_cast<std::uint32_t>(bits.take(32));
  unsigned zeros = 0;
  unsigned length = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    if (i > 0 && bits.take(1) != 0) {
      if (bits.take(1) != 0) {
        zeros = static_cast<unsigned>(bits.take(5));
        length = static_cast<unsigned>(bits.take(5)) + 1;
      }
      if (zeros + length > 32 || length == 0) return false;
      value ^= static_cast<std::uint32_t>(bits.take(length) << (32 - zeros - length));
    }
    to[i].*which = std::bit_cast<float>(value);
  }
  return bits.ok();
}

}  // namespace

float rounded(float value) {
  constexpr unsigned kDropped = 23 - 12;
  if (!std::isfinite(value)) return value;
  const auto bits = std::bit_cast<std::uint32_t>(value) + (1U << (kDropped - 1));
  const auto near = std::bit_cast<float>(bits & ~((1U << kDropped) - 1U));
  return std::isfinite(near) ? near : value;
}

std::string write_block(std::span<const SeriesRow> rows) {
  rows = rows.first(std::min(rows.size(), kMostRows));
  if (rows.empty()) return "";
  const std::size_t metrics = rows.front().values.size();
  bool ranges = false;
  for (const SeriesRow& row : rows) {
    if (row.values.size() != metrics || metrics > kMostMetrics) return "";
    for (const ValueRange& value : row.values) ranges |= value.is_wide();
  }
  std::vector<std::string> streams{write_times(rows)};
  for (std::size_t metric = 0; metric < metrics; ++metric) {
    streams.push_back(write_values(rows, metric, &ValueRange::mean));
    if (!ranges) continue;
    streams.push_back(write_values(rows, metric, &ValueRange::low));
    streams.push_back(write_values(rows, metric, &ValueRange::high));
  }
  std::string payload;
  put(payload, static_cast<std::uint16_t>(rows.size()));
  put(payload, static_cast<std::uint16_t>(metrics));
  put(payload, ranges ? kRanges : std::uint8_t(0));
  put(payload, rows.front().span.begin);
  put(payload, rows.back().span.end);
  for (const std::string& stream : streams) put(payload, static_cast<std::uint32_t>(stream.size()));
  for (const std::string& stream : streams) payload += stream;
  std::string block;
  put(block, kMark);
  put(block, static_cast<std::uint32_t>(payload.size()));
  put(block, crc32c(payload));
  return block + payload;
}

std::optional<SeriesBlock> SeriesBlock::parse(std::string_view payload) {
  if (payload.size() < kFacts) return std::nullopt;
  SeriesBlock block;
  block.rows_ = take<std::uint16_t>(payload);
  block.metrics_ = take<std::uint16_t>(payload);
  block.ranges_ = (take<std::uint8_t>(payload) & kRanges) != 0;
  block.span_.begin = take<std::int64_t>(payload);
  block.span_.end = take<std::int64_t>(payload);
  if (block.rows_ == 0 || block.rows_ > kMostRows || block.metrics_ > kMostMetrics) {
    return std::nullopt;
  }
  if (block.span_.begin < -kMostTime || block.span_.end > kMostTime) return std::nullopt;
  const std::size_t streams = 1 + block.metrics_ * (block.ranges_ ? 3 : 1);
  if (payload.size() < streams * sizeof(std::uint32_t)) return std::nullopt;
  std::string_view bytes = payload.substr(streams * sizeof(std::uint32_t));
  for (std::size_t i = 0; i < streams; ++i) {
    const auto size = take<std::uint32_t>(payload);
    if (size > bytes.size()) return std::nullopt;
    block.streams_.push_back(bytes.substr(0, size));
    bytes.remove_prefix(size);
  }
  return block;
}

const std::vector<TimeSpan>& SeriesBlock::times() const {
  if (!times_) times_ = read_times();
  return *times_;
}

std::vector<TimeSpan> SeriesBlock::read_times() const {
  std::vector<TimeSpan> spans;
  spans.reserve(rows_);
  BitReader bits(streams_[0]);
  auto last = static_cast<std::uint64_t>(span_.begin);
  std::uint64_t step = 0;
  for (std::size_t i = 0; i < rows_; ++i) {
    const std::uint64_t begin = last + take_change(bits);
    step += take_change(bits);
    last = begin + step;
    spans.push_back({static_cast<std::int64_t>(begin), static_cast<std::int64_t>(last)});
    const std::int64_t before = i == 0 ? span_.begin : spans[i - 1].end;
    if (spans[i].end <= spans[i].begin || spans[i].begin < before) return {};
  }
  if (!bits.ok() || spans.back().end != span_.end) return {};
  return spans;
}

std::vector<ValueRange> SeriesBlock::column(std::size_t metric) const {
  std::vector<ValueRange> values(rows_);
  if (metric >= metrics_) return {};
  const std::size_t first = 1 + metric * (ranges_ ? 3 : 1);
  if (!read_values(streams_[first], rows_, &ValueRange::mean, values)) return {};
  if (!ranges_) {
    for (ValueRange& value : values) value = ValueRange::of(value.mean);
    return values;
  }
  if (!read_values(streams_[first + 1], rows_, &ValueRange::low, values)) return {};
  if (!read_values(streams_[first + 2], rows_, &ValueRange::high, values)) return {};
  return values;
}

std::vector<SeriesRow> SeriesBlock::all() const {
  std::vector<SeriesRow> rows;
  for (const TimeSpan& span : times()) rows.push_back({span, {}});
  for (std::size_t metric = 0; metric < metrics_ && !rows.empty(); ++metric) {
    const std::vector<ValueRange> values = column(metric);
    if (values.empty()) return {};
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i].values.push_back(values[i]);
  }
  return rows;
}

BlockFile read_blocks(std::string_view bytes) {
  BlockFile file;
  std::size_t at = 0;
  while (bytes.size() - at >= kHeader) {
    std::string_view header = bytes.substr(at, kHeader);
    const auto mark = take<std::uint32_t>(header);
    const auto size = take<std::uint32_t>(header);
    const auto crc = take<std::uint32_t>(header);
    std::optional<SeriesBlock> block;
    if (mark == kMark && size <= kMostBlockBytes && size <= bytes.size() - at - kHeader) {
      const std::string_view payload = bytes.substr(at + kHeader, size);
      if (crc32c(payload) == crc) block = SeriesBlock::parse(payload);
    }
    if (!block) {
      ++at;
      continue;
    }
    at += kHeader + size;
    file.damaged_bytes += at - kHeader - size - file.sound_bytes;
    file.sound_bytes = at;
    file.blocks.push_back(*std::move(block));
  }
  file.damaged_bytes += bytes.size() - file.sound_bytes;
  return file;
}

}  // namespace trainyard::monitor
