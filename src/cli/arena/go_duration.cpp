#include "cli/arena/go_duration.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>

namespace trainyard::cli::arena {
namespace {

constexpr double kLongest = 9e18;  // nanoseconds: what an int64 holds, nearly

constexpr std::pair<std::string_view, double> kUnits[] = {{"ns", 1},  {"us", 1e3}, {"ms", 1e6},
                                                          {"s", 1e9}, {"m", 60e9}, {"h", 3600e9}};

/// The unit that the text begins with, up to the next digit; 0: none.
double take_unit(std::string_view& text) {
  const std::string_view word = text.substr(0, text.find_first_of("0123456789."));
  text.remove_prefix(word.size());
  for (const auto& [name, length] : kUnits) {
    if (word == name) return length;
  }
  return 0;
}

}  // namespace

Result<std::chrono::nanoseconds> parse_go_duration(std::string_view text) {
  const Error wrong(
      Code::kInvalid,
      fmt::format("\"{}\" is no time: write a number with a unit, such as 30s, 10m or 1h30m",
                  text));
  std::string_view rest = text;
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  if (rest == "0") return std::chrono::nanoseconds(0);
  if (rest.empty()) return wrong;
  double total = 0;
  while (!rest.empty()) {
    double number = 0;
    const auto read =
        std::from_chars(rest.data(), rest.data() + rest.size(), number, std::chars_format::fixed);
    if (read.ec != std::errc() || number < 0 || rest.front() == '-') return wrong;
    rest.remove_prefix(static_cast<std::size_t>(read.ptr - rest.data()));
    const double unit = take_unit(rest);
    total += number * unit;
    if (unit == 0 || total > kLongest) return wrong;
  }
  return std::chrono::nanoseconds(static_cast<std::int64_t>(negative ? -total : total));
}

}  // namespace trainyard::cli::arena
