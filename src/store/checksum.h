#pragma once

#include <cstdint>
#include <string_view>

namespace trainyard::store {

/// CRC-32C over a sequence of fields. Where a field ends counts, so that text which moves from one
/// field to the next is noticed.
class Checksum {
 public:
  Checksum& add(std::string_view field);
  Checksum& add(std::int64_t field);
  std::uint32_t value() const { return ~state_; }

 private:
  void update(const char* data, std::size_t size);
  std::uint32_t state_ = 0xffffffff;
};

}  // namespace trainyard::store
