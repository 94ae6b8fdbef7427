#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace trainyard::monitor {

/// One number of seven bits a byte. False when there is none.
inline bool take_varint(const char*& at, const char* end, std::uint64_t& value) {
  std::uint64_t sum = 0;
  for (unsigned shift = 0; shift < 64 && at != end; shift += 7) {
    const auto byte = static_cast<unsigned char>(*at++);
    sum |= std::uint64_t(byte & 0x7fU) << shift;
    if (byte < 0x80) {
      value = sum;
      return true;
    }
  }
  return false;
}

/// Takes a protobuf message apart, field by field, and never reads beyond its bytes. Unlike
/// object/protobuf/protobuf_wire.h it says only that something is wrong, not what: event files hold
/// tens of millions of fields, and of a damaged record nobody reads more than a count.
///
///   FieldReader fields(bytes);
///   while (fields.next()) if (fields.is_bytes(1)) … fields.bytes();
///   if (!fields.ok()) …
class FieldReader {
 public:
  explicit FieldReader(std::string_view message)
      : at_(message.data()), end_(message.data() + message.size()) {}

  /// False at the end, and at what is no field.
  bool next() {
    if (at_ == end_) return false;
    std::uint64_t tag = 0;
    if (!varint(tag)) return fail();
    number_ = tag >> 3;
    wire_ = static_cast<unsigned>(tag & 7U);
    if (number_ == 0) return fail();
    switch (wire_) {
      case kVarint:
        return varint(value_) || fail();
      case kFixed64:
        return fixed<std::uint64_t>() || fail();
      case kBytes:
        return take_bytes() || fail();
      case kFixed32:
        return fixed<std::uint32_t>() || fail();
      default:
        return fail();
    }
  }
  bool ok() const { return ok_; }

  std::uint64_t number() const { return number_; }
  bool is_bytes(std::uint64_t number) const { return number_ == number && wire_ == kBytes; }
  bool is_varint(std::uint64_t number) const { return number_ == number && wire_ == kVarint; }
  bool is_float(std::uint64_t number) const { return number_ == number && wire_ == kFixed32; }
  bool is_double(std::uint64_t number) const { return number_ == number && wire_ == kFixed64; }

  std::string_view bytes() const { return bytes_; }
  std::uint64_t varint() const { return value_; }
  std::int64_t integer() const { return static_cast<std::int64_t>(value_); }
  float as_float() const { return std::bit_cast<float>(static_cast<std::uint32_t>(value_)); }
  double as_double() const { return std::bit_cast<double>(value_); }

 private:
  static constexpr unsigned kVarint = 0;
  static constexpr unsigned kFixed64 = 1;
  static constexpr unsigned kBytes = 2;
  static constexpr unsigned kFixed32 = 5;

  bool fail() {
    ok_ = false;
    at_ = end_;
    return false;
  }
  bool varint(std::uint64_t& value) { return take_varint(at_, end_, value); }
  template <class Word>
  bool fixed() {
    if (static_cast<std::size_t>(end_ - at_) < sizeof(Word)) return false;
    Word word = 0;
    std::memcpy(&word, at_, sizeof word);
    value_ = word;
    at_ += sizeof word;
    return true;
  }
  bool take_bytes() {
    std::uint64_t size = 0;
    if (!varint(size) || size > static_cast<std::size_t>(end_ - at_)) return false;
    bytes_ = {at_, static_cast<std::size_t>(size)};
    at_ += size;
    return true;
  }

  const char* at_;
  const char* end_;
  std::uint64_t number_ = 0;
  std::uint64_t value_ = 0;
  std::string_view bytes_;
  unsigned wire_ = 0;
  bool ok_ = true;
};

/// The numbers of a packed field.
class VarintReader {
 public:
  explicit VarintReader(std::string_view packed)
      : at_(packed.data()), end_(packed.data() + packed.size()) {}
  bool next() {
    if (at_ == end_) return false;
    ok_ = take_varint(at_, end_, value_);
    if (!ok_) at_ = end_;
    return ok_;
  }
  bool ok() const { return ok_; }
  std::uint64_t value() const { return value_; }

 private:
  const char* at_;
  const char* end_;
  std::uint64_t value_ = 0;
  bool ok_ = true;
};

}  // namespace trainyard::monitor
