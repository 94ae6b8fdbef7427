#include "monitor/events/tensor.h"

#include "monitor/events/fields.h"

#include <cmath>

namespace trainyard::monitor {
namespace {

// Of TensorProto.
constexpr std::uint64_t kType = 1;
constexpr std::uint64_t kShape = 2;
constexpr std::uint64_t kContent = 4;
constexpr std::uint64_t kFloats = 5;
constexpr std::uint64_t kDoubles = 6;
constexpr std::uint64_t kInts = 7;
constexpr std::uint64_t kStrings = 8;
constexpr std::uint64_t kInt64s = 10;
constexpr std::uint64_t kBools = 11;
constexpr std::uint64_t kHalves = 13;
constexpr std::uint64_t kUint32s = 16;
constexpr std::uint64_t kUint64s = 17;

/// TensorFlow's DataType, those that are one number each.
enum class Type : std::uint64_t {
  kFloat = 1,
  kDouble = 2,
  kInt32 = 3,
  kUint8 = 4,
  kInt16 = 5,
  kInt8 = 6,
  kString = 7,
  kInt64 = 9,
  kBool = 10,
  kBfloat16 = 14,
  kUint16 = 17,
  kHalf = 19,
  kUint32 = 22,
  kUint64 = 23,
};

double half(std::uint16_t bits) {
  const double sign = (bits & 0x8000U) != 0 ? -1 : 1;
  const int exponent = (bits >> 10) & 0x1f;
  const int fraction = bits & 0x3ff;
  if (exponent == 31) return fraction == 0 ? sign * INFINITY : NAN;
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

double bfloat16(std::uint16_t bits) {
  return std::bit_cast<float>(std::uint32_t(bits) << 16);
}

std::size_t size_of(Type type) {
  switch (type) {
    case Type::kUint8:
    case Type::kInt8:
    case Type::kBool:
      return 1;
    case Type::kInt16:
    case Type::kUint16:
    case Type::kHalf:
    case Type::kBfloat16:
      return 2;
    case Type::kFloat:
    case Type::kInt32:
    case Type::kUint32:
      return 4;
    case Type::kDouble:
    case Type::kInt64:
    case Type::kUint64:
      return 8;
    case Type::kString:
      break;
  }
  return 0;  // none that we know
}

template <class Number>
Number load(const char* from) {
  Number number{};
  std::memcpy(&number, from, sizeof number);
  return number;
}

/// One element as it lies in memory.
double element(Type type, const char* from) {
  switch (type) {
    case Type::kFloat:
      return load<float>(from);
    case Type::kDouble:
      return load<double>(from);
    case Type::kInt32:
      return load<std::int32_t>(from);
    case Type::kUint8:
      return load<std::uint8_t>(from);
    case Type::kInt16:
      return load<std::int16_t>(from);
    case Type::kInt8:
      return load<std::int8_t>(from);
    case Type::kInt64:
      return static_cast<double>(load<std::int64_t>(from));
    case Type::kBool:
      return load<std::uint8_t>(from) != 0 ? 1 : 0;
    case Type::kBfloat16:
      return bfloat16(load<std::uint16_t>(from));
    case Type::kUint16:
      return load<std::uint16_t>(from);
    case Type::kHalf:
      return half(load<std::uint16_t>(from));
    case Type::kUint32:
      return load<std::uint32_t>(from);
    case Type::kUint64:
      return static_cast<double>(load<std::uint64_t>(from));
    case Type::kString:
      break;
  }
  return 0;
}

/// A number that stands as a varint.
double from_varint(Type type, std::uint64_t value) {
  switch (type) {
    case Type::kHalf:
      return half(static_cast<std::uint16_t>(value));
    case Type::kBfloat16:
      return bfloat16(static_cast<std::uint16_t>(value));
    case Type::kUint64:
    case Type::kUint32:
      return static_cast<double>(value);
    case Type::kBool:
      return value != 0 ? 1 : 0;
    default:
      return static_cast<double>(static_cast<std::int64_t>(value));
  }
}

bool holds_varints(std::uint64_t field) {
  return field == kInts || field == kInt64s || field == kBools || field == kHalves ||
         field == kUint32s || field == kUint64s;
}

/// Calls each(number) for all of a field, packed or not; false when its bytes make no sense.
template <class Each>
bool each_number(const FieldReader& field, Type type, Each each) {
  const std::uint64_t number = field.number();
  if (number == kContent && field.is_bytes(kContent)) {
    const std::size_t size = size_of(type);
    const std::string_view bytes = field.bytes();
    if (size == 0) return bytes.empty();
    if (bytes.size() % size != 0) return false;
    for (std::size_t at = 0; at < bytes.size(); at += size) each(element(type, bytes.data() + at));
    return true;
  }
  if (field.is_float(kFloats)) return each(double(field.as_float())), true;
  if (field.is_double(kDoubles)) return each(field.as_double()), true;
  if (field.is_bytes(kFloats) || field.is_bytes(kDoubles)) {
    const bool wide = number == kDoubles;
    const std::size_t size = wide ? 8 : 4;
    const std::string_view bytes = field.bytes();
    if (bytes.size() % size != 0) return false;
    for (std::size_t at = 0; at < bytes.size(); at += size) {
      each(element(wide ? Type::kDouble : Type::kFloat, bytes.data() + at));
    }
    return true;
  }
  if (!holds_varints(number)) return true;  // nothing that counts
  if (field.is_varint(number)) return each(from_varint(type, field.varint())), true;
  if (!field.is_bytes(number)) return true;
  VarintReader packed(field.bytes());
  while (packed.next()) each(from_varint(type, packed.value()));
  return packed.ok();
}

std::vector<std::int64_t> read_shape(std::string_view message) {
  std::vector<std::int64_t> shape;
  FieldReader fields(message);
  while (fields.next() && shape.size() < 16) {
    if (!fields.is_bytes(2)) continue;
    FieldReader dimension(fields.bytes());
    std::int64_t size = 0;
    while (dimension.next()) {
      if (dimension.is_varint(1)) size = dimension.integer();
    }
    shape.push_back(size);
  }
  return shape;
}

Type type_of(std::string_view message) {
  FieldReader fields(message);
  Type type = Type::kFloat;
  while (fields.next()) {
    if (fields.is_varint(kType)) type = static_cast<Type>(fields.varint());
  }
  return type;
}

}  // namespace

std::optional<Tensor> read_tensor(std::string_view message, std::size_t most) {
  Tensor tensor;
  const Type type = type_of(message);
  FieldReader fields(message);
  bool too_many = false;
  bool sound = true;
  while (sound && !too_many && fields.next()) {
    if (fields.is_bytes(kShape)) {
      tensor.shape = read_shape(fields.bytes());
    } else if (fields.is_bytes(kStrings)) {
      tensor.strings.push_back(fields.bytes());
      too_many = tensor.strings.size() > most;
    } else {
      sound = each_number(fields, type, [&](double number) {
        if (tensor.numbers.size() < most)
          tensor.numbers.push_back(number);
        else
          too_many = true;
      });
    }
  }
  if (!fields.ok() || !sound || too_many) return std::nullopt;
  return tensor;
}

std::optional<double> read_scalar_tensor(std::string_view message) {
  const Type type = type_of(message);
  FieldReader fields(message);
  std::optional<double> found;
  std::size_t count = 0;
  bool sound = true;
  while (sound && fields.next()) {
    sound = each_number(fields, type, [&](double number) {
      found = number;
      ++count;
    });
  }
  if (!fields.ok() || !sound || count != 1) return std::nullopt;
  return found;
}

bool append_doubles(std::string_view packed, std::size_t most, std::vector<double>& to) {
  if (packed.size() % 8 != 0 || to.size() + packed.size() / 8 > most) return false;
  for (std::size_t at = 0; at < packed.size(); at += 8)
    to.push_back(load<double>(packed.data() + at));
  return true;
}

}  // namespace trainyard::monitor
