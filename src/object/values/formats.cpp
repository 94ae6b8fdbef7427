#include "object/values/formats.h"

#include "object/values/pattern.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

namespace trainyard {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_blank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r' && c != '\v');
}

template <class Test>
std::string only(std::string_view text, Test test) {
  std::string kept;
  std::copy_if(text.begin(), text.end(), std::back_inserter(kept), test);
  return kept;
}

/// The expressions of this file are compiled when the first schema asks for them.
bool matches(const Pattern& pattern, std::string_view text) {
  return pattern.occurs_in(text);
}

Pattern known(const char* expression) {
  return *Pattern::compile(expression);
}

/// Two digits at a place, as a number; -1 when they are not there.
int two_digits(std::string_view text, std::size_t at) {
  if (at + 2 > text.size() || !is_digit(text[at]) || !is_digit(text[at + 1])) return -1;
  return (text[at] - '0') * 10 + (text[at + 1] - '0');
}

int days_of(int year, int month) {
  constexpr std::array<int, 12> kDays{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return month == 2 && leap ? 29 : kDays[static_cast<std::size_t>(month - 1)];
}

/// hh:mm:ss, a fraction, then Z or an offset.
bool is_time(std::string_view text) {
  static const Pattern kForm =
      known("(?i)^[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]+)?(z|[+-][0-9]{2}:[0-9]{2})$");
  return matches(kForm, text) && two_digits(text, 0) <= 23 && two_digits(text, 3) <= 59 &&
         two_digits(text, 6) <= 59;
}

std::string_view take_digits(std::string_view& text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
  const auto size = static_cast<std::size_t>(end - text.begin());
  const std::string_view digits = text.substr(0, size);
  text.remove_prefix(size);
  return digits;
}

/// Go's own form: a sign, then numbers with units, without blanks.
bool is_go_duration(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  if (text == "0") return true;
  if (text.empty()) return false;
  while (!text.empty()) {
    bool any = !take_digits(text).empty();
    if (text.starts_with('.')) {
      text.remove_prefix(1);
      any = !take_digits(text).empty() || any;
    }
    const auto end =
        std::find_if(text.begin(), text.end(), [](char c) { return c == '.' || is_digit(c); });
    const std::string_view unit = text.substr(0, static_cast<std::size_t>(end - text.begin()));
    constexpr std::array<std::string_view, 8> kUnits{"ns", "us", "µs", "μs", "ms", "s", "m", "h"};
    if (!any || std::find(kUnits.begin(), kUnits.end(), unit) == kUnits.end()) return false;
    text.remove_prefix(unit.size());
  }
  return true;
}

/// A unit in words: each list's last word may be longer, as in minutes.
bool is_time_unit(std::string_view word) {
  static const Pattern kUnits =
      known("(?i)^(ns|us|µs|ms|s|m|h|hr|d|w|wk|(nano|micro|milli|sec|min|hour|day|week)[a-zµ]*)$");
  return matches(kUnits, word);
}

bool is_worded_duration(std::string_view text) {
  bool found = false;
  while (!text.empty()) {
    if (!is_digit(text.front())) {
      text.remove_prefix(1);
      continue;
    }
    const std::string_view number = take_digits(text);
    std::string_view rest = text;
    while (!rest.empty() && is_blank(rest.front())) rest.remove_prefix(1);
    std::size_t size = 0;
    while (size < rest.size()) {
      if (is_letter(rest[size])) {
        ++size;
      } else if (rest.substr(size).starts_with("µ")) {
        size += 2;
      } else {
        break;
      }
    }
    if (size == 0) continue;
    std::int64_t factor = 0;
    const auto [end, problem] =
        std::from_chars(number.data(), number.data() + number.size(), factor);
    if (problem != std::errc()) return false;
    found = found || is_time_unit(rest.substr(0, size));
    text = rest.substr(size);
  }
  return found;
}

bool is_uuid_of(std::string_view text, char version, bool variant) {
  if (!formats::is_uuid(text)) return false;
  const std::string digits = only(text, is_hex);
  constexpr std::string_view kVariants = "89abAB";
  return digits[12] == version && (!variant || kVariants.find(digits[16]) != std::string::npos);
}

bool is_object_id(std::string_view text) {
  return text.size() == 24 && std::all_of(text.begin(), text.end(), is_hex);
}

std::string without_separators(std::string_view text) {
  return only(text, [](char c) { return c != '-' && !is_blank(c); });
}

bool is_isbn10(std::string_view text) {
  static const Pattern kForm = known("^[0-9]{9}[0-9X]$");
  const std::string digits = without_separators(text);
  if (!matches(kForm, digits)) return false;
  int sum = 0;
  for (int i = 0; i < 10; ++i) {
    const char c = digits[static_cast<std::size_t>(i)];
    sum += (i + 1) * (c == 'X' ? 10 : c - '0');
  }
  return sum % 11 == 0;
}

bool is_isbn13(std::string_view text) {
  static const Pattern kForm = known("^[0-9]{13}$");
  const std::string digits = without_separators(text);
  if (!matches(kForm, digits)) return false;
  int sum = 0;
  for (std::size_t i = 0; i < 13; ++i) sum += (i % 2 == 0 ? 1 : 3) * (digits[i] - '0');
  return sum % 10 == 0;
}

bool is_isbn(std::string_view text) {
  return is_isbn10(text) || is_isbn13(text);
}

/// The issuers' prefixes and lengths, then Luhn's check digit.
bool is_credit_card(std::string_view text) {
  static const Pattern kForm = known(
      "^(4[0-9]{12}|4[0-9]{15}|5[1-5][0-9]{14}|6011[0-9]{12}|65[0-9]{14}|3[47][0-9]{13}|"
      "30[0-5][0-9]{11}|3[68][0-9]{12}|(2131|1800)[0-9]{11}|35[0-9]{14})$");
  const std::string digits = only(text, is_digit);
  if (!matches(kForm, digits)) return false;
  int sum = 0;
  bool doubled = false;
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) {
    const int value = (*digit - '0') * (doubled ? 2 : 1);
    sum += value > 9 ? value - 9 : value;
    doubled = !doubled;
  }
  return sum % 10 == 0;
}

bool is_ssn(std::string_view text) {
  static const Pattern kForm = known("^[0-9]{3}[- ][0-9]{2}[- ][0-9]{4}$");
  return matches(kForm, text);
}

bool is_hex_color(std::string_view text) {
  static const Pattern kForm = known("^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$");
  return matches(kForm, text);
}

bool is_rgb_color(std::string_view text) {
  static const Pattern kForm = known(
      "^rgb\\((\\s*(0|[1-9]\\d?|1\\d\\d|2[0-4]\\d|25[0-5])\\s*,){2}"
      "\\s*(0|[1-9]\\d?|1\\d\\d|2[0-4]\\d|25[0-5])\\s*\\)$");
  return matches(kForm, text);
}

constexpr Format kFormats[] = {
    {"bsonobjectid", is_object_id},
    {"byte", formats::is_base64},
    {"cidr", formats::is_cidr},
    {"creditcard", is_credit_card},
    {"date", formats::is_date},
    {"datetime", formats::is_date_time},
    {"duration", formats::is_duration},
    {"email", formats::is_email},
    {"hexcolor", is_hex_color},
    {"hostname", formats::is_hostname},
    {"ipv4", formats::is_ipv4},
    {"ipv6", formats::is_ipv6},
    {"isbn", is_isbn},
    {"isbn10", is_isbn10},
    {"isbn13", is_isbn13},
    {"mac", formats::is_mac},
    {"password", [](std::string_view) { return true; }},
    {"rgbcolor", is_rgb_color},
    {"ssn", is_ssn},
    {"uri", formats::is_uri},
    {"uuid", formats::is_uuid},
    {"uuid3", [](std::string_view text) { return is_uuid_of(text, '3', false); }},
    {"uuid4", [](std::string_view text) { return is_uuid_of(text, '4', true); }},
    {"uuid5", [](std::string_view text) { return is_uuid_of(text, '5', true); }},
};

}  // namespace

const Format* find_format(std::string_view name) {
  const std::string plain = only(name, [](char c) { return c != '-'; });
  for (const Format& format : kFormats) {
    if (format.name == plain) return &format;
  }
  return nullptr;
}

namespace formats {

bool is_date(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  const int century = two_digits(text, 0);
  const int rest = two_digits(text, 2);
  const int month = two_digits(text, 5);
  const int day = two_digits(text, 8);
  if (century < 0 || rest < 0 || month < 1 || month > 12 || day < 1) return false;
  return day <= days_of(century * 100 + rest, month);
}

bool is_date_time(std::string_view text) {
  return text.size() > 10 && is_date(text.substr(0, 10)) && (text[10] == 'T' || text[10] == 't') &&
         is_time(text.substr(11));
}

bool is_duration(std::string_view text) {
  return is_go_duration(text) || is_worded_duration(text);
}

bool is_base64(std::string_view text) {
  // Line breaks and the empty text are how Secrets are written; a decoder passes over both.
  const std::string packed = only(text, [](char c) { return c != '\n' && c != '\r'; });
  std::string_view rest = packed;
  if (rest.size() % 4 != 0) return false;
  for (int padding = 0; padding < 2 && rest.ends_with('='); ++padding) rest.remove_suffix(1);
  return std::all_of(rest.begin(), rest.end(),
                     [](char c) { return is_letter(c) || is_digit(c) || c == '+' || c == '/'; });
}

bool is_uuid(std::string_view text) {
  static const Pattern kForm =
      known("(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$");
  return matches(kForm, text);
}

}  // namespace formats
}  // namespace trainyard
