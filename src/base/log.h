#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace trainyard {

/// One field of a log line. Anything fmt can print becomes its text.
struct LogField {
  template <class T>
  LogField(std::string_view field_name, const T& field_value)
      : name(field_name), value(fmt::format("{}", field_value)) {}
  std::string_view name;
  std::string value;
};

/// Log lines are a constant message and fields, so that they can be searched:
///   log_info("pod started", {{"pod", key}, {"pid", pid}});
/// Warn: something a user may want to know. Error: somebody must act. Never tokens, never whole
/// objects. Lines go to standard error; `up --detach` sends that to DATA_DIR/server.log.
enum class LogLevel : std::uint8_t { kDebug, kInfo, kWarn, kError };

void set_log_level(LogLevel least);
void log_line(LogLevel level, std::string_view message, std::initializer_list<LogField> fields);

inline void log_debug(std::string_view message, std::initializer_list<LogField> fields = {}) {
  log_line(LogLevel::kDebug, message, fields);
}
inline void log_info(std::string_view message, std::initializer_list<LogField> fields = {}) {
  log_line(LogLevel::kInfo, message, fields);
}
inline void log_warn(std::string_view message, std::initializer_list<LogField> fields = {}) {
  log_line(LogLevel::kWarn, message, fields);
}
inline void log_error(std::string_view message, std::initializer_list<LogField> fields = {}) {
  log_line(LogLevel::kError, message, fields);
}

}  // namespace trainyard
