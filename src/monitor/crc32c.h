#pragma once

#include <cstdint>
#include <string_view>

namespace trainyard::monitor {

/// CRC-32C (Castagnoli), by the processor's own instruction where it has one.
std::uint32_t crc32c(std::string_view bytes);
/// The same by tables, on any processor.
std::uint32_t crc32c_by_tables(std::string_view bytes);

/// As TensorBoard's records store it: turned and shifted, so that a checksum of bytes that hold
/// their own checksum is no special case.
inline std::uint32_t masked(std::uint32_t crc) {
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8U;
}

}  // namespace trainyard::monitor
