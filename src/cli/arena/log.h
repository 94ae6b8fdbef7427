#pragma once

#include "base/clock.h"
#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace trainyard::cli::arena {

enum class Level : std::uint8_t { kDebug, kInfo, kWarn, kError, kFatal };

/// The level that --loglevel names.
Result<Level> parse_level(const std::string& word);

/// INFO[0007] MESSAGE: the level in four letters, then how many seconds the command has run.
std::string format_log_line(Level level, std::chrono::nanoseconds since_start,
                            std::string_view message);

/// What a command says about its work, on standard error.
class Log {
 public:
  explicit Log(const Clock& clock) : clock_(clock), start_(clock.now()) {}
  void set_least(Level least) { least_ = least; }

  void debug(std::string_view message) const { say(Level::kDebug, message); }
  void info(std::string_view message) const { say(Level::kInfo, message); }
  void warn(std::string_view message) const { say(Level::kWarn, message); }
  void error(std::string_view message) const { say(Level::kError, message); }
  void fatal(std::string_view message) const { say(Level::kFatal, message); }

 private:
  void say(Level level, std::string_view message) const;
  const Clock& clock_;
  TimePoint start_;
  Level least_ = Level::kInfo;
};

}  // namespace trainyard::cli::arena
