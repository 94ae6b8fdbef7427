#pragma once

#include "object/json/json.h"

#include <compare>
#include <string>
#include <string_view>

namespace trainyard {

/// An amount such as 100m, 1.5, 2Gi or 1e3, exact to a billionth. Remembers the family of its
/// suffix, so that it is written back as it was meant; comparing goes by the amount alone.
class Quantity {
 public:
  enum class Family : std::uint8_t { kDecimal, kBinary, kExponent };  // 1M, 1Mi, 1e6

  Quantity() = default;
  static Result<Quantity> parse(std::string_view text);
  /// Quantities in JSON are strings or numbers.
  static Result<Quantity> parse(const Json& value);
  static Quantity of(std::int64_t whole);

  double as_double() const;
  /// Rounded up, as Kubernetes does.
  std::int64_t as_integer() const;
  std::int64_t as_milli() const;
  /// The canonical form: no fraction, and the largest suffix of the family that loses nothing.
  /// 1.5Gi is 1536Mi, 0.1 is 100m. What binary suffixes cannot say is written in decimal ones.
  std::string to_text() const;
  Family family() const { return family_; }

  /// Nothing plus an amount takes over the amount's family.
  Quantity& operator+=(const Quantity& other);
  Quantity& operator-=(const Quantity& other);
  friend Quantity operator+(Quantity a, const Quantity& b) { return a += b; }
  friend Quantity operator-(Quantity a, const Quantity& b) { return a -= b; }
  friend bool operator==(const Quantity& a, const Quantity& b) { return a.nanos_ == b.nanos_; }
  friend std::strong_ordering operator<=>(const Quantity& a, const Quantity& b) {
    return a.nanos_ <=> b.nanos_;
  }

 private:
  __extension__ using Nanos = __int128;  // 8 EiB in billionths needs 93 bits
  Nanos nanos_ = 0;
  Family family_ = Family::kDecimal;
};

/// 0.5 as 500m, 1024Mi as 1Gi: how Kubernetes gives back what it was given.
Result<std::string> canonical_quantity(const Json& value);

/// 2Gi, 512Mi, 1536Ki: bytes as people write them.
std::string format_bytes(std::int64_t bytes);

}  // namespace trainyard
