#include "base/clock.h"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <ctime>

namespace trainyard {
namespace {

using std::chrono::duration_cast;
using std::chrono::microseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

std::tm utc_fields(std::time_t time) {
  std::tm fields{};
  gmtime_r(&time, &fields);
  return fields;
}

std::string format_seconds(std::time_t time) {
  const std::tm fields = utc_fields(time);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", fields.tm_year + 1900,
                     fields.tm_mon + 1, fields.tm_mday, fields.tm_hour, fields.tm_min,
                     fields.tm_sec);
}

/// Reads fixed-width decimal fields of a time text from left to right.
class TimeReader {
 public:
  explicit TimeReader(std::string_view text) : rest_(text) {}

  bool number(std::size_t digits, int& value) {
    if (rest_.size() < digits) return false;
    const std::string_view field = rest_.substr(0, digits);
    const char* end = field.data() + field.size();
    const auto [stop, failure] = std::from_chars(field.data(), end, value);
    if (failure != std::errc() || stop != end || field[0] == '-') return false;
    rest_.remove_prefix(digits);
    return true;
  }
  bool literal(char expected) {
    if (rest_.empty() || rest_[0] != expected) return false;
    rest_.remove_prefix(1);
    return true;
  }
  /// The digits after a point as nanoseconds; further digits are cut off.
  nanoseconds fraction() {
    long value = 0;
    int digits = 0;
    while (!rest_.empty() && rest_[0] >= '0' && rest_[0] <= '9') {
      if (digits < 9) {
        value = value * 10 + (rest_[0] - '0');
        ++digits;
      }
      rest_.remove_prefix(1);
    }
    for (; digits < 9; ++digits) value *= 10;
    return nanoseconds(value);
  }
  bool done() const { return rest_.empty(); }
  bool next_is(char c) const { return !rest_.empty() && rest_[0] == c; }

 private:
  std::string_view rest_;
};

}  // namespace

awaitable<void> Clock::sleep_for(nanoseconds span) {
  return sleep_until(now() + span);
}

TimePoint SystemClock::now() const {
  return std::chrono::steady_clock::now();
}

WallTime SystemClock::wall() const {
  return std::chrono::system_clock::now();
}

awaitable<void> SystemClock::sleep_until(TimePoint when) {
  boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor, when);
  co_await timer.async_wait(boost::asio::use_awaitable);
}

std::string format_time(WallTime time) {
  return format_seconds(std::chrono::system_clock::to_time_t(std::chrono::floor<seconds>(time))) +
         "Z";
}

std::string format_time_micro(WallTime time) {
  const auto whole = std::chrono::floor<seconds>(time);
  const auto micros = duration_cast<microseconds>(time - whole).count();
  return fmt::format("{}.{:06}Z", format_seconds(std::chrono::system_clock::to_time_t(whole)),
                     micros);
}

Result<WallTime> parse_time(std::string_view text) {
  const Error malformed(Code::kInvalid, fmt::format("'{}' is not a time such as "
                                                    "2026-11-16T01:02:03Z (RFC 3339)",
                                                    text));
  TimeReader reader(text);
  std::tm fields{};
  const bool date = reader.number(4, fields.tm_year) && reader.literal('-') &&
                    reader.number(2, fields.tm_mon) && reader.literal('-') &&
                    reader.number(2, fields.tm_mday);
  if (!date || !(reader.literal('T') || reader.literal('t') || reader.literal(' '))) {
    return malformed;
  }
  const bool time = reader.number(2, fields.tm_hour) && reader.literal(':') &&
                    reader.number(2, fields.tm_min) && reader.literal(':') &&
                    reader.number(2, fields.tm_sec);
  if (!time || fields.tm_mon < 1 || fields.tm_mon > 12 || fields.tm_mday < 1 ||
      fields.tm_mday > 31 || fields.tm_hour > 23 || fields.tm_min > 59 || fields.tm_sec > 60) {
    return malformed;
  }
  const nanoseconds fraction = reader.literal('.') ? reader.fraction() : nanoseconds(0);
  seconds offset(0);
  if (!reader.literal('Z') && !reader.literal('z')) {
    const int sign = reader.next_is('-') ? -1 : 1;
    int hours = 0;
    int minutes = 0;
    if (!(reader.literal('+') || reader.literal('-')) || !reader.number(2, hours) ||
        !reader.literal(':') || !reader.number(2, minutes)) {
      return malformed;
    }
    offset = seconds(sign * (hours * 3600 + minutes * 60));
  }
  if (!reader.done()) return malformed;
  fields.tm_year -= 1900;
  fields.tm_mon -= 1;
  // Nanoseconds reach from 1677 to 2262. What is beyond counts as the first or the last of these
  // years: Go writes a time that is none as one in the year 1.
  fields.tm_year = std::clamp(fields.tm_year, 1678 - 1900, 2261 - 1900);
  const auto whole = std::chrono::system_clock::from_time_t(timegm(&fields));
  return WallTime(whole - offset + duration_cast<WallTime::duration>(fraction));
}

std::string format_age(seconds age) {
  // kubectl's steps: two units while the smaller one still says something.
  const long s = age.count();
  if (s < 0) return "0s";
  if (s < 120) return fmt::format("{}s", s);
  const long m = s / 60;
  if (m < 10) return s % 60 == 0 ? fmt::format("{}m", m) : fmt::format("{}m{}s", m, s % 60);
  if (m < 180) return fmt::format("{}m", m);
  const long h = m / 60;
  if (h < 8) return m % 60 == 0 ? fmt::format("{}h", h) : fmt::format("{}h{}m", h, m % 60);
  if (h < 48) return fmt::format("{}h", h);
  const long d = h / 24;
  if (d < 8) return h % 24 == 0 ? fmt::format("{}d", d) : fmt::format("{}d{}h", d, h % 24);
  if (d < 730) return fmt::format("{}d", d);
  const long y = d / 365;
  if (y < 8) return d % 365 == 0 ? fmt::format("{}y", y) : fmt::format("{}y{}d", y, d % 365);
  return fmt::format("{}y", y);
}

}  // namespace trainyard
