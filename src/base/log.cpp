#include "base/log.h"

#include "base/clock.h"

#include <atomic>
#include <unistd.h>

namespace trainyard {
namespace {

std::atomic<LogLevel> least_level{LogLevel::kInfo};

std::string_view level_name(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return "debug";
    case LogLevel::kInfo:
      return "info";
    case LogLevel::kWarn:
      return "warn";
    case LogLevel::kError:
      return "error";
  }
  return "info";
}

/// A value with blanks or quotes is quoted and never breaks the line.
void append_value(std::string& line, std::string_view value) {
  if (!value.empty() && value.find_first_of(" \"=\n\r\t\\") == std::string_view::npos) {
    line += value;
    return;
  }
  line += '"';
  for (const char c : value) {
    if (c == '"' || c == '\\') line += '\\';
    if (c == '\n') {
      line += "\\n";
    } else {
      line += c;
    }
  }
  line += '"';
}

}  // namespace

void set_log_level(LogLevel least) {
  least_level = least;
}

void log_line(LogLevel level, std::string_view message, std::initializer_list<LogField> fields) {
  if (level < least_level) return;
  std::string line = fmt::format("{} {:<5} {}", format_time_micro(SystemClock().wall()),
                                 level_name(level), message);
  for (const LogField& field : fields) {
    line += ' ';
    line += field.name;
    line += '=';
    append_value(line, field.value);
  }
  line += '\n';
  // One write a line, so that lines of several threads do not mix. A log that cannot be written
  // must not stop the server.
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace trainyard
