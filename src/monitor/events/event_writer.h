#pragma once

#include "monitor/crc32c.h"

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

/// Writes event files as TensorBoard's writers do; for tests and measurements.
namespace trainyard::monitor::writing {

inline std::string varint(std::uint64_t value) {
  std::string text;
  for (; value >= 0x80; value >>= 7) text += static_cast<char>(value | 0x80U);
  return text + static_cast<char>(value);
}
inline std::string little_endian(std::uint64_t value, unsigned bytes) {
  std::string text;
  for (unsigned i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i));
  return text;
}
inline std::string field(unsigned number, std::uint64_t value) {
  return varint(number << 3) + varint(value);
}
inline std::string field(unsigned number, double value) {
  return varint(number << 3 | 1U) + little_endian(std::bit_cast<std::uint64_t>(value), 8);
}
inline std::string field(unsigned number, float value) {
  return varint(number << 3 | 5U) + little_endian(std::bit_cast<std::uint32_t>(value), 4);
}
inline std::string field(unsigned number, std::string_view bytes) {
  return varint(number << 3 | 2U) + varint(bytes.size()) + std::string(bytes);
}

inline std::string record(std::string_view bytes) {
  const std::string length = little_endian(bytes.size(), 8);
  return length + little_endian(masked(crc32c(length)), 4) + std::string(bytes) +
         little_endian(masked(crc32c(bytes)), 4);
}

/// `summary` is the text of a Summary message.
inline std::string event(double wall_time, std::int64_t step, std::string_view summary) {
  return field(1, wall_time) + field(2, static_cast<std::uint64_t>(step)) + field(5, summary);
}
inline std::string scalar_event(double wall_time, std::int64_t step, std::string_view tag,
                                float value) {
  return event(wall_time, step, field(1, field(1, tag) + field(2, value)));
}
/// SummaryMetadata that says which plugin shows the tag.
inline std::string shown_by(std::string_view plugin, std::string_view content = "") {
  return field(9, field(1, field(1, plugin) + field(2, content)));
}

}  // namespace trainyard::monitor::writing
