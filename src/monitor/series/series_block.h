#pragma once

#include "monitor/series/series_row.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard::monitor {

// Rows that follow each other in time, compressed: times as changes of their differences, values as
// what they differ in from the one before, each metric by itself, so that who asks for one of them
// need not look at the others. After "Gorilla" (Pelkonen and others, VLDB 2015), with floats.
//
//   mark 4 | length of the rest 4 | CRC-32C of the rest 4
//   rows 2 | metrics 2 | flags 1 | begin 8 | end 8 | length of each stream 4 … | streams …
//
// Streams are the times and of each metric the means; with the flag kRanges also low and high.

inline constexpr std::size_t kMostRows = 4096;     // of a block
inline constexpr std::size_t kMostMetrics = 4096;  // of a row

/// `rows` must not be empty, in the order of time, and have as many values each. What is not so is
/// left out.
std::string write_block(std::span<const SeriesRow> rows);

/// A value as blocks hold it: twelve bits of its digits, which is 0.01 % near, and whatever it is
/// measured with is worse. What it leaves out would take most of the room.
float rounded(float value);

/// A block as it lies in a file. Its bytes must stay.
class SeriesBlock {
 public:
  TimeSpan span() const { return span_; }
  std::size_t rows() const { return rows_; }
  std::size_t metrics() const { return metrics_; }
  /// Empty when they make no sense, in spite of the checksum.
  const std::vector<TimeSpan>& times() const;
  std::vector<ValueRange> column(std::size_t metric) const;
  std::vector<SeriesRow> all() const;

 private:
  friend struct BlockFile read_blocks(std::string_view bytes);
  static std::optional<SeriesBlock> parse(std::string_view payload);
  std::vector<TimeSpan> read_times() const;

  TimeSpan span_;
  std::size_t rows_ = 0;
  std::size_t metrics_ = 0;
  bool ranges_ = false;
  std::vector<std::string_view> streams_;
  mutable std::optional<std::vector<TimeSpan>> times_;  // once somebody has asked
};

struct BlockFile {
  std::vector<SeriesBlock> blocks;
  std::size_t sound_bytes = 0;    // up to the end of the last sound block
  std::size_t damaged_bytes = 0;  // of what could not be read; at the end, a write that was cut off
};

/// Those of a file, in its order. What is damaged is passed over.
BlockFile read_blocks(std::string_view bytes);

}  // namespace trainyard::monitor
