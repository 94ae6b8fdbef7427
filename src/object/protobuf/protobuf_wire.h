#pragma once

#include "base/result.h"

#include <cstdint>
#include <string_view>

namespace trainyard::protobuf {

enum class Wire : std::uint8_t { kVarint, kFixed64, kBytes, kFixed32 };

/// One field as it stands on the wire.
struct Item {
  std::uint64_t number = 0;
  Wire wire = Wire::kVarint;
  std::uint64_t value = 0;      // of all wires but kBytes
  std::string_view bytes = "";  // of kBytes, part of what is read; never null, which Boost minds
};

/// Takes a message apart, field by field. Never reads beyond its bytes, whatever they say.
class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : rest_(bytes) {}

  bool done() const { return rest_.empty(); }
  Result<Item> next();
  Result<std::uint64_t> varint();

 private:
  Result<std::string_view> take(std::uint64_t size);
  Result<std::uint64_t> fixed(std::size_t size);

  std::string_view rest_;
};

/// The error of a body that cannot be read.
Error malformed(std::string_view why);

}  // namespace trainyard::protobuf
