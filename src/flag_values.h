#pragma once

#include "base/result.h"

#include <chrono>
#include <cstdint>
#include <string>

/// What `trainyard up` is told in words. Errors name the flag and show what to write.
namespace trainyard {

struct Address {
  std::string host;
  std::uint16_t port = 0;
};

/// 127.0.0.1:6480
Result<Address> parse_address(const std::string& text, const char* flag);
/// The same, for what is served without TLS: on this machine only.
Result<Address> parse_local_address(const std::string& text, const char* flag);
/// The same, for apps: their names are LABEL.localhost, which lead browsers to 127.0.0.1 and ::1.
Result<Address> parse_apps_address(const std::string& text, const char* flag);
/// 10Gi, in bytes.
Result<std::int64_t> parse_size(const std::string& text, const char* flag);
/// 14d, 12h.
Result<std::chrono::hours> parse_age(const std::string& text, const char* flag);
/// 90s, 30m, 1h, 2d; a bare 0.
Result<std::chrono::seconds> parse_span(const std::string& text, const char* flag);

}  // namespace trainyard
