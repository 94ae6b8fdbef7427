#include "object/protobuf/protobuf_wire.h"

#include <fmt/format.h>

namespace trainyard::protobuf {

Result<Item> WireReader::next() {
  Item item;
  TRY(const std::uint64_t tag, varint());
  item.number = tag >> 3;
  if (item.number == 0) return malformed("a field has the number 0");
  switch (tag & 7) {
    case 0: {
      item.wire = Wire::kVarint;
      TRY(item.value, varint());
      return item;
    }
    case 1: {
      item.wire = Wire::kFixed64;
      TRY(item.value, fixed(8));
      return item;
    }
    case 2: {
      item.wire = Wire::kBytes;
      TRY(const std::uint64_t size, varint());
      TRY(item.bytes, take(size));
      return item;
    }
    case 5: {
      item.wire = Wire::kFixed32;
      TRY(item.value, fixed(4));
      return item;
    }
    default:
      return malformed("a field has an unknown wire type");
  }
}

Result<std::uint64_t> WireReader::varint() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (rest_.empty()) return malformed("it ends inside a number");
    const auto byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
    if (byte < 0x80) return value;
  }
  return malformed("a number has more than 64 bits");
}

Result<std::string_view> WireReader::take(std::uint64_t size) {
  if (size > rest_.size()) return malformed("it ends inside a field");
  const std::string_view bytes = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return bytes;
}

Result<std::uint64_t> WireReader::fixed(std::size_t size) {
  TRY(const std::string_view bytes, take(size));
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < size; ++i) {
    value |= std::uint64_t(static_cast<unsigned char>(bytes[i])) << (8 * i);
  }
  return value;
}

Error malformed(std::string_view why) {
  return {Code::kBadRequest, fmt::format("the body is not protobuf as expected: {}", why)};
}

}  // namespace trainyard::protobuf
