#include "object/quantity.h"

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

Error malformed(std::string_view text) {
  return Error(Code::kInvalid,
               fmt::format("'{}' is not a quantity: write a number with an optional suffix (m, k, "
                           "M, G, T, P, E, Ki, Mi, Gi, Ti, Pi, Ei), such as 500m or 2Gi",
                           text));
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

}  // namespace

Result<Quantity> Quantity::parse(std::string_view text) {
  std::string_view rest = text;
  const bool negative = rest.starts_with('-');
  if (rest.starts_with('-') || rest.starts_with('+')) rest.remove_prefix(1);
  Wide digits = 0;
  int decimals = 0;
  bool seen_digit = false;
  bool seen_point = false;
  bool finer = false;  // digits that are too fine to keep, but round up
  while (!rest.empty() && (rest[0] == '.' || (rest[0] >= '0' && rest[0] <= '9'))) {
    if (rest[0] == '.') {
      if (seen_point) return malformed(text);
      seen_point = true;
    } else if (!seen_point || decimals < 18) {
      digits = digits * 10 + (rest[0] - '0');
      decimals += seen_point ? 1 : 0;
      seen_digit = true;
      if (digits > kLimit) return malformed(text);
    } else {
      finer = finer || rest[0] != '0';
    }
    rest.remove_prefix(1);
  }
  if (!seen_digit) return malformed(text);
  if (finer) ++digits;
  Wide factor = kBillion;
  int exponent = 0;
  const bool binary = rest.ends_with('i');
  if (rest.size() > 1 && !binary && (rest[0] == 'e' || rest[0] == 'E')) {
    std::string_view power = rest.substr(1);
    if (power.starts_with('+') && !power.starts_with("+-")) power.remove_prefix(1);
    const auto [end, problem] =
        std::from_chars(power.data(), power.data() + power.size(), exponent);
    if (problem != std::errc() || end != power.data() + power.size()) return malformed(text);
  } else {
    const Suffix* found = nullptr;
    for (const Suffix& suffix : kSuffixes) {
      if (suffix.text == rest) found = &suffix;
    }
    if (found == nullptr) return malformed(text);
    factor = found->factor;
  }
  if (exponent > 27) return malformed(text);
  exponent = std::max(exponent, -60) - decimals;  // below is less than a billionth anyway
  for (; exponent > 0; --exponent) {
    digits *= 10;
    if (digits > kLimit) return malformed(text);
  }
  // digits < 2^96 and factor < 2^91 may overflow together: spend the negative exponent first.
  for (; exponent < 0 && factor % 10 == 0; ++exponent) factor /= 10;
  for (; exponent < 0 && digits % 10 == 0; ++exponent) digits /= 10;
  Wide nanos = 0;
  const bool overflows = __builtin_mul_overflow(digits, factor, &nanos);
  if (overflows && !binary) return malformed(text);
  for (; exponent < 0; ++exponent) nanos = divide_up(nanos, 10);
  // Kubernetes caps 8Ei and above at the largest integer.
  constexpr Wide kMostBinary = kBillion * std::numeric_limits<std::int64_t>::max();
  if (binary && (overflows || nanos > kMostBinary)) nanos = kMostBinary;
  if (nanos > kLimit) return malformed(text);
  Quantity result;
  result.nanos_ = negative ? -nanos : nanos;
  return result;
}

Result<Quantity> Quantity::parse(const Json& value) {
  if (value.is_string()) {
    return parse(std::string_view(value.get_string().data(), value.get_string().size()));
  }
  if (value.is_number()) return parse(std::string_view(to_text(value)));
  return malformed(to_text(value));
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

Quantity& Quantity::operator+=(const Quantity& other) {
  nanos_ += other.nanos_;
  return *this;
}

Quantity& Quantity::operator-=(const Quantity& other) {
  nanos_ -= other.nanos_;
  return *this;
}

std::string format_bytes(std::int64_t bytes) {
  static constexpr std::array<const char*, 7> kUnits{"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
  std::size_t unit = 0;
  while (bytes >= 1024 && bytes % 1024 == 0 && unit + 1 < kUnits.size()) {
    bytes /= 1024;
    ++unit;
  }
  return fmt::format("{}{}", bytes, kUnits[unit]);
}

}  // namespace trainyard
