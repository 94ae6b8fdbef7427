#include "cli/terminal/duration.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

namespace trainyard::cli {
namespace {

std::int64_t seconds_in(char unit) {
  switch (unit) {
    case 's':
      return 1;
    case 'm':
      return 60;
    case 'h':
      return 3600;
    case 'd':
      return 86400;
    default:
      return 0;
  }
}

}  // namespace

Result<std::chrono::seconds> parse_duration(const std::string& text, const std::string& what) {
  const Error wrong(Code::kInvalid,
                    fmt::format("{} {}: write a time such as 30s, 10m or 1h30m", what, text));
  constexpr std::int64_t kLongest = 1'000'000'000;  // thirty years; also keeps sums in range
  std::string_view rest = text;
  std::int64_t total = 0;
  if (rest.empty()) return wrong;
  while (!rest.empty()) {
    std::int64_t number = -1;
    const auto read = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    const auto digits = static_cast<std::size_t>(read.ptr - rest.data());
    if (read.ec != std::errc() || number < 0 || number > kLongest) return wrong;
    rest.remove_prefix(digits);
    const std::int64_t unit = rest.empty() && digits == text.size() ? 1
                              : rest.empty()                        ? 0
                                                                    : seconds_in(rest.front());
    if (unit == 0) return wrong;
    total += std::min(number, kLongest / unit) * unit;
    if (!rest.empty()) rest.remove_prefix(1);
  }
  return std::chrono::seconds(std::min(total, kLongest));
}

}  // namespace trainyard::cli
