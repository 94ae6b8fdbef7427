#pragma once

#include "object/json.h"

#include <compare>
#include <string>
#include <string_view>

namespace trainyard {

/// An amount such as 100m, 1.5, 2Gi or 1e3, exact to a billionth.
class Quantity {
 public:
  Quantity() = default;
  static Result<Quantity> parse(std::string_view text);
  /// Quantities in JSON are strings or numbers.
  static Result<Quantity> parse(const Json& value);
  static Quantity of(std::int64_t whole);

  double as_double() const;
  /// Rounded up, as Kubernetes does.
  std::int64_t as_integer() const;
  std::int64_t as_milli() const;

  Quantity& operator+=(const Quantity& other);
  Quantity& operator-=(const Quantity& other);
  friend Quantity operator+(Quantity a, const Quantity& b) { return a += b; }
  friend Quantity operator-(Quantity a, const Quantity& b) { return a -= b; }
  auto operator<=>(const Quantity&) const = default;

 private:
  __extension__ using Nanos = __int128;  // 8 EiB in billionths needs 93 bits
  Nanos nanos_ = 0;
};

/// 2Gi, 512Mi, 1536Ki: bytes as people write them.
std::string format_bytes(std::int64_t bytes);

}  // namespace trainyard
