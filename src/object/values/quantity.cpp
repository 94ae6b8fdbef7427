#include "object/values/quantity.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace trainyard {
namespace {

__extension__ using Wide = __int128;
constexpr Wide kBillion = 1'000'000'000;
constexpr Wide kLimit = Wide{1} << 96;  // in billionths; sums of 2^31 amounts fit into 127 bits

struct Suffix {
  std::string_view text;
  Wide factor;  // in billionths
};

constexpr std::array<const char*, 7> kBinaryUnits{"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};

constexpr std::array<Suffix, 16> kSuffixes{{
    {"n", 1},
    {"u", 1'000},
    {"m", 1'000'000},
    {"", kBillion},
    {"k", kBillion * 1'000},
    {"M", kBillion * 1'000'000},
    {"G", kBillion* kBillion},
    {"T", kBillion* kBillion * 1'000},
    {"P", kBillion* kBillion * 1'000'000},
    {"E", kBillion* kBillion* kBillion},
    {"Ki", kBillion << 10},
    {"Mi", kBillion << 20},
    {"Gi", kBillion << 30},
    {"Ti", kBillion << 40},
    {"Pi", kBillion << 50},
    {"Ei", kBillion << 60},
}};

// kube-apiserver's words, and what they mean.
Error malformed() {
  return Error(Code::kInvalid,
               "quantities must match the regular expression "
               "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$', such as 500m or 2Gi");
}

Error unknown_suffix() {
  return Error(Code::kInvalid,
               "unable to parse quantity's suffix: it must be one of n, u, m, k, M, G, T, P, E, "
               "Ki, Mi, Gi, Ti, Pi, Ei or an exponent such as e3");
}

Error out_of_range() {
  return Error(Code::kInvalid, "unable to parse numeric part of quantity: it is too large");
}

/// Away from zero.
Wide divide_up(Wide value, Wide by) {
  const Wide quotient = value / by;
  if (value % by == 0) return quotient;
  return value > 0 ? quotient + 1 : quotient - 1;
}

std::int64_t saturate(Wide value) {
  constexpr Wide kMost = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::clamp(value, -kMost, kMost));
}

/// The digits before the suffix, as one number and how many of them follow the point.
struct Digits {
  Wide value = 0;
  int decimals = 0;
};

Result<Digits> take_digits(std::string_view& rest) {
  Digits digits;
  bool seen_digit = false;
  bool seen_point = false;
  bool finer = false;  // digits that are too fine to keep, but round up
  for (; !rest.empty() && (rest[0] == '.' || (rest[0] >= '0' && rest[0] <= '9'));
       rest.remove_prefix(1)) {
    if (rest[0] == '.') {
      if (seen_point) return malformed();
      seen_point = true;
    } else if (!seen_point || digits.decimals < 18) {
      digits.value = digits.value * 10 + (rest[0] - '0');
      digits.decimals += seen_point ? 1 : 0;
      seen_digit = true;
      if (digits.value > kLimit) return out_of_range();
    } else {
      finer = finer || rest[0] != '0';
    }
  }
  if (!seen_digit) return malformed();
  if (finer) ++digits.value;
  return digits;
}

/// What a suffix multiplies by: a factor in billionths and a power of ten.
struct Unit {
  Wide factor = kBillion;
  int exponent = 0;
  Quantity::Family family = Quantity::Family::kDecimal;
};

Result<Unit> read_suffix(std::string_view text) {
  Unit unit;
  for (const Suffix& suffix : kSuffixes) {
    if (suffix.text != text) continue;
    unit.factor = suffix.factor;
    if (text.ends_with('i')) unit.family = Quantity::Family::kBinary;
    return unit;
  }
  if (text.size() < 2 || (text[0] != 'e' && text[0] != 'E')) return unknown_suffix();
  std::string_view power = text.substr(1);
  if (power.starts_with('+') && !power.starts_with("+-")) power.remove_prefix(1);
  const auto [end, problem] =
      std::from_chars(power.data(), power.data() + power.size(), unit.exponent);
  if (problem != std::errc() || end != power.data() + power.size()) return unknown_suffix();
  if (unit.exponent > 27) return out_of_range();
  unit.exponent = std::max(unit.exponent, -60);  // below is less than a billionth anyway
  unit.family = Quantity::Family::kExponent;
  return unit;
}

/// In billionths, rounded away from zero.
Result<Wide> multiply(Digits digits, Unit unit) {
  int exponent = unit.exponent - digits.decimals;
  for (; exponent > 0; --exponent) {
    digits.value *= 10;
    if (digits.value > kLimit) return out_of_range();
  }
  // The value is below 2^96 and the factor below 2^91, too much together: spend the negative
  // exponent first.
  for (; exponent < 0 && unit.factor % 10 == 0; ++exponent) unit.factor /= 10;
  for (; exponent < 0 && digits.value % 10 == 0; ++exponent) digits.value /= 10;
  const bool binary = unit.family == Quantity::Family::kBinary;
  Wide nanos = 0;
  const bool overflows = __builtin_mul_overflow(digits.value, unit.factor, &nanos);
  if (overflows && !binary) return out_of_range();
  for (; exponent < 0; ++exponent) nanos = divide_up(nanos, 10);
  // Kubernetes caps 8Ei and above at the largest integer.
  constexpr Wide kMostBinary = kBillion * std::numeric_limits<std::int64_t>::max();
  if (binary && (overflows || nanos > kMostBinary)) return kMostBinary;
  if (nanos > kLimit) return out_of_range();
  return nanos;
}

std::string digits_of(Wide value) {
  std::string text;
  for (Wide rest = value < 0 ? -value : value; rest > 0; rest /= 10) {
    text += static_cast<char>('0' + static_cast<int>(rest % 10));
  }
  if (value < 0) text += '-';
  std::reverse(text.begin(), text.end());
  return text;
}

}  // namespace

Result<Quantity> Quantity::parse(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  TRY(const Digits digits, take_digits(text));
  TRY(const Unit unit, read_suffix(text));
  TRY(const Wide nanos, multiply(digits, unit));
  Quantity result;
  result.nanos_ = negative ? -nanos : nanos;
  result.family_ = unit.family;
  return result;
}

Result<Quantity> Quantity::parse(const Json& value) {
  if (value.is_string()) {
    return parse(std::string_view(value.get_string().data(), value.get_string().size()));
  }
  if (value.is_number()) return parse(std::string_view(trainyard::to_text(value)));
  return malformed();
}

Quantity Quantity::of(std::int64_t whole) {
  Quantity result;
  result.nanos_ = kBillion * whole;
  return result;
}

double Quantity::as_double() const {
  return static_cast<double>(nanos_) / 1e9;
}

std::int64_t Quantity::as_integer() const {
  return saturate(divide_up(nanos_, kBillion));
}

std::int64_t Quantity::as_milli() const {
  return saturate(divide_up(nanos_, 1'000'000));
}

std::string Quantity::to_text() const {
  if (nanos_ == 0) return "0";
  const bool whole = nanos_ % kBillion == 0;
  const Wide size = (nanos_ < 0 ? -nanos_ : nanos_) / kBillion;
  if (family_ == Family::kBinary && whole && size >= 1024) {
    Wide value = nanos_ / kBillion;
    std::size_t power = 0;
    for (; value % 1024 == 0 && power + 1 < kBinaryUnits.size(); ++power) value /= 1024;
    return digits_of(value) + kBinaryUnits[power];
  }
  Wide value = nanos_;
  int exponent = -9;
  for (; value % 1000 == 0; exponent += 3) value /= 1000;
  if (family_ == Family::kExponent) {
    return exponent == 0 ? digits_of(value) : fmt::format("{}e{}", digits_of(value), exponent);
  }
  // Beyond E there is no suffix; such amounts need not fit into 64 bits either.
  for (; exponent > 18; exponent -= 3) value *= 1000;
  static constexpr std::array<const char*, 10> kUnits{"n", "u", "m", "",  "k",
                                                      "M", "G", "T", "P", "E"};
  return digits_of(value) + kUnits[static_cast<std::size_t>(exponent / 3 + 3)];
}

Quantity& Quantity::operator+=(const Quantity& other) {
  if (nanos_ == 0) family_ = other.family_;
  nanos_ += other.nanos_;
  return *this;
}

Quantity& Quantity::operator-=(const Quantity& other) {
  if (nanos_ == 0) family_ = other.family_;
  nanos_ -= other.nanos_;
  return *this;
}

Result<std::string> canonical_quantity(const Json& value) {
  TRY(const Quantity amount, Quantity::parse(value));
  return amount.to_text();
}

std::string format_bytes(std::int64_t bytes) {
  std::size_t unit = 0;
  while (bytes >= 1024 && bytes % 1024 == 0 && unit + 1 < kBinaryUnits.size()) {
    bytes /= 1024;
    ++unit;
  }
  return fmt::format("{}{}", bytes, kBinaryUnits[unit]);
}

}  // namespace trainyard
