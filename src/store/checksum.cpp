#include "store/checksum.h"

#include <array>
#include <bit>
#include <cstring>

namespace trainyard::store {
namespace {

static_assert(std::endian::native == std::endian::little);

/// Table n says what a byte does to the state when n more bytes follow it: eight at a time.
constexpr auto kTables = [] {
  constexpr std::uint32_t kPolynomial = 0x82f63b78;
  std::array<std::array<std::uint32_t, 256>, 8> tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t state = byte;
    for (int bit = 0; bit < 8; ++bit) state = (state >> 1) ^ ((state & 1) * kPolynomial);
    tables[0][byte] = state;
  }
  for (std::size_t n = 1; n < 8; ++n) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t before = tables[n - 1][byte];
      tables[n][byte] = (before >> 8) ^ tables[0][before & 0xff];
    }
  }
  return tables;
}();

}  // namespace

void Checksum::update(const char* data, std::size_t size) {
  std::uint32_t state = state_;
  for (; size >= 8; data += 8, size -= 8) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, data, 8);
    eight ^= state;
    state = 0;
    for (std::size_t i = 0; i < 8; ++i) state ^= kTables[7 - i][(eight >> (8 * i)) & 0xff];
  }
  for (; size > 0; ++data, --size) {
    state = (state >> 8) ^ kTables[0][(state ^ static_cast<unsigned char>(*data)) & 0xff];
  }
  state_ = state;
}

Checksum& Checksum::add(std::int64_t field) {
  char bytes[sizeof field];
  std::memcpy(bytes, &field, sizeof field);
  update(bytes, sizeof bytes);
  return *this;
}

Checksum& Checksum::add(std::string_view field) {
  update(field.data(), field.size());
  return add(static_cast<std::int64_t>(field.size()));
}

}  // namespace trainyard::store
