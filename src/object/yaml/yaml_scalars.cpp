#include "object/yaml/yaml_scalars.h"

#include <charconv>
#include <cmath>
#include <optional>
#include <string>

namespace trainyard {
namespace {

std::optional<bool> plain_bool(std::string_view text) {
  for (const char* word :
       {"y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"}) {
    if (text == word) return true;
  }
  for (const char* word :
       {"n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"}) {
    if (text == word) return false;
  }
  return std::nullopt;
}

bool plain_null(std::string_view text) {
  return text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL";
}

/// Go's ParseInt with base 0, after underscores were taken out.
std::optional<Json> plain_integer(std::string_view text) {
  std::string digits;
  for (const char c : text) {
    if (c != '_') digits.push_back(c);
  }
  std::string_view rest = digits;
  const bool negative = !rest.empty() && rest[0] == '-';
  if (!rest.empty() && (rest[0] == '-' || rest[0] == '+')) rest.remove_prefix(1);
  int base = 10;
  const auto take_prefix = [&](std::string_view lower, std::string_view upper, int value) {
    if (rest.starts_with(lower) || rest.starts_with(upper)) {
      rest.remove_prefix(lower.size());
      base = value;
      return true;
    }
    return false;
  };
  if (!take_prefix("0x", "0X", 16) && !take_prefix("0b", "0B", 2) && !take_prefix("0o", "0O", 8) &&
      rest.size() > 1 && rest[0] == '0') {
    rest.remove_prefix(1);
    base = 8;
  }
  if (rest.empty()) return std::nullopt;
  std::uint64_t value = 0;
  const auto [end, problem] = std::from_chars(rest.data(), rest.data() + rest.size(), value, base);
  if (problem != std::errc() || end != rest.data() + rest.size()) return std::nullopt;
  constexpr std::uint64_t kLargest = std::uint64_t{1} << 63;
  if (negative) {
    if (value > kLargest) return std::nullopt;
    return Json(static_cast<std::int64_t>(0 - value));
  }
  if (value < kLargest) return Json(static_cast<std::int64_t>(value));
  return Json(value);
}

/// [-+]? (.digits | digits[.digits]) ([eE][-+]?digits)?
bool looks_like_float(std::string_view text) {
  std::size_t i = 0;
  const auto digits = [&] {
    const std::size_t start = i;
    while (i < text.size() && text[i] >= '0' && text[i] <= '9') ++i;
    return i > start;
  };
  if (i < text.size() && (text[i] == '-' || text[i] == '+')) ++i;
  bool any = digits();
  if (i < text.size() && text[i] == '.') {
    ++i;
    any = digits() || any;
  }
  if (!any) return false;
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    if (i < text.size() && (text[i] == '-' || text[i] == '+')) ++i;
    if (!digits()) return false;
  }
  return i == text.size();
}

std::optional<Json> plain_float(std::string_view text) {
  std::string digits;
  for (const char c : text) {
    if (c != '_') digits.push_back(c);
  }
  if (!looks_like_float(digits)) return std::nullopt;
  std::string_view rest = digits;
  if (rest[0] == '+') rest.remove_prefix(1);
  double value = 0;
  const auto [end, problem] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (problem != std::errc() || !std::isfinite(value)) return std::nullopt;
  return Json(value);
}

}  // namespace

bool plain_not_finite(std::string_view text) {
  for (const char* word : {".nan", ".NaN", ".NAN"}) {
    if (text == word) return true;
  }
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return text == ".inf" || text == ".Inf" || text == ".INF";
}

Json resolve_plain(std::string_view text) {
  if (plain_null(text)) return nullptr;
  if (const auto flag = plain_bool(text)) return *flag;
  const char first = text[0];
  if (first == '+' || first == '-' || first == '.' || (first >= '0' && first <= '9')) {
    if (auto number = plain_integer(text)) return *std::move(number);
    if (auto number = plain_float(text)) return *std::move(number);
  }
  return Json(boost::json::string_view(text.data(), text.size()));
}

}  // namespace trainyard
