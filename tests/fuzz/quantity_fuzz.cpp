// Quantities: the canonical form keeps the amount, and sums are exact.
#include "fuzz.h"
#include "object/values/quantity.h"

#include <limits>

namespace trainyard::fuzz {
namespace {

void check_text(const Quantity& amount, std::string_view input) {
  const std::string text = amount.to_text();
  const Result<Quantity> again = Quantity::parse(text);
  require(again && *again == amount, "the canonical form keeps the amount", text);
  // 1.953125Ki is written as 2000, and that as 2k: binary amounts may change their family once.
  const std::string second = again->to_text();
  const Result<Quantity> third = Quantity::parse(second);
  require(third && third->to_text() == second, "the canonical form is stable", second);
  const bool keeps_family = amount.family() != Quantity::Family::kBinary;
  require(!keeps_family || second == text, "the canonical form is its own canonical form", text);
  const Result<std::string> canonical = canonical_quantity(Json(input));
  require(canonical && *canonical == text, "the text of JSON is read like any other", text);
}

void check_integers(const Quantity& amount, std::string_view input) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  const std::int64_t whole = amount.as_integer();
  if (whole > -kMost && whole < kMost) {
    const Quantity rounded = Quantity::of(whole);
    const bool up = whole > 0 ? rounded >= amount && Quantity::of(whole - 1) < amount
                              : rounded <= amount && Quantity::of(whole + 1) > amount;
    require(up || rounded == amount, "integers are rounded away from zero", input);
  }
  const bool same_sign = (amount > Quantity()) == (amount.as_double() > 0);
  require(same_sign, "a double has the amount's sign", input);
}

}  // namespace

void run(std::string_view input) {
  const std::vector<std::string_view> lines = lines_of(input);
  const Result<Quantity> first = Quantity::parse(lines.front());
  if (!first) {
    require(first.error().code() == Code::kInvalid, "a wrong quantity is the user's mistake");
    return;
  }
  check_text(*first, lines.front());
  check_integers(*first, lines.front());
  const Result<Quantity> second = Quantity::parse(lines.back());
  if (!second) return;
  const Quantity sum = *first + *second;
  require(sum == *second + *first, "the order of a sum does not matter", input);
  require(sum - *second == *first && sum - *first == *second, "sums are exact", input);
  require((*first < *second) == (sum > *first + *first), "the order is that of amounts", input);
}

}  // namespace trainyard::fuzz
