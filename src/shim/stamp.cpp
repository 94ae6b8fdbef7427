#include "shim/stamp.h"

#include <chrono>
#include <cstddef>

namespace trainyard::shim {
namespace {

void put_digits(std::string& text, std::size_t end, unsigned width, std::uint64_t number) {
  for (; width > 0; --width, number /= 10) text[--end] = static_cast<char>('0' + number % 10);
}

}  // namespace

std::string format_stamp(const timespec& time) {
  // Not gmtime_r: it reads /etc/localtime, which here is the container's.
  using namespace std::chrono;
  sys_seconds seconds{std::chrono::seconds(time.tv_sec)};
  sys_days day = floor<days>(seconds);
  year_month_day date{day};
  hh_mm_ss clock{seconds - day};
  std::string text = "0000-00-00T00:00:00.000000000Z";
  put_digits(text, 4, 4, static_cast<std::uint64_t>(static_cast<int>(date.year())));
  put_digits(text, 7, 2, static_cast<unsigned>(date.month()));
  put_digits(text, 10, 2, static_cast<unsigned>(date.day()));
  put_digits(text, 13, 2, static_cast<std::uint64_t>(clock.hours().count()));
  put_digits(text, 16, 2, static_cast<std::uint64_t>(clock.minutes().count()));
  put_digits(text, 19, 2, static_cast<std::uint64_t>(clock.seconds().count()));
  put_digits(text, 29, 9, static_cast<std::uint64_t>(time.tv_nsec));
  return text;
}

timespec wall_now() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return now;
}

std::int64_t steady_ms() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

}  // namespace trainyard::shim
