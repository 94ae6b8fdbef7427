#include "flag_values.h"

#include "object/values/quantity.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <string_view>
#include <utility>

namespace trainyard {

Result<Address> parse_address(const std::string& text, const char* flag) {
  const std::size_t colon = text.rfind(':');
  Address address;
  if (colon != std::string::npos) {
    address.host = text.substr(0, colon);
    const char* end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data() + colon + 1, end, address.port);
    if (parsed.ec == std::errc() && parsed.ptr == end && !address.host.empty()) return address;
  }
  return Error(Code::kInvalid,
               fmt::format("{} {}: write ADDRESS:PORT, such as 127.0.0.1:6480", flag, text));
}

Result<Address> parse_local_address(const std::string& text, const char* flag) {
  TRY(Address address, parse_address(text, flag));
  if (address.host.starts_with("127.") || address.host == "localhost") return address;
  return Error(Code::kInvalid,
               fmt::format("{} {}: beyond this machine it would need TLS, which this version does "
                           "not have yet; use 127.0.0.1",
                           flag, text));
}

Result<Address> parse_apps_address(const std::string& text, const char* flag) {
  TRY(Address address, parse_local_address(text, flag));
  if (address.host == "127.0.0.1" || address.host == "localhost") return address;
  return Error(Code::kInvalid,
               fmt::format("{} {}: apps have names that end in .localhost, which lead browsers to "
                           "127.0.0.1 and nowhere else; use 127.0.0.1:{}",
                           flag, text, address.port));
}

Result<std::int64_t> parse_size(const std::string& text, const char* flag) {
  const auto size = Quantity::parse(text);
  if (size && size->as_integer() >= 0) return size->as_integer();
  return Error(Code::kInvalid, fmt::format("{} {}: write a size, such as 10Gi", flag, text));
}

Result<std::chrono::hours> parse_age(const std::string& text, const char* flag) {
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  const std::string_view unit(parsed.ptr, static_cast<std::size_t>(end - parsed.ptr));
  constexpr std::int64_t kMost = 100'000;
  if (parsed.ec == std::errc() && number >= 0 && number <= kMost && (unit == "d" || unit == "h")) {
    return std::chrono::hours(number * (unit == "d" ? 24 : 1));
  }
  return Error(Code::kInvalid,
               fmt::format("{} {}: write days or hours, such as 14d or 12h", flag, text));
}

Result<std::chrono::seconds> parse_span(const std::string& text, const char* flag) {
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  const std::string_view unit(parsed.ptr, static_cast<std::size_t>(end - parsed.ptr));
  constexpr std::int64_t kMost = 1'000'000;
  if (parsed.ec == std::errc() && number >= 0 && number <= kMost) {
    constexpr std::array<std::pair<std::string_view, std::int64_t>, 4> kUnits{
        {{"s", 1}, {"m", 60}, {"h", 60 * 60}, {"d", 24 * 60 * 60}}};
    for (const auto& [name, seconds] : kUnits) {
      if (unit == name) return std::chrono::seconds(number * seconds);
    }
    if (number == 0 && unit.empty()) return std::chrono::seconds(0);
  }
  return Error(Code::kInvalid, fmt::format("{} {}: write a time, such as 30m or 1h", flag, text));
}

}  // namespace trainyard
