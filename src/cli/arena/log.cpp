#include "cli/arena/log.h"

#include <fmt/format.h>

#include <array>
#include <cstdio>

namespace trainyard::cli::arena {

Result<Level> parse_level(const std::string& word) {
  if (word == "debug") return Level::kDebug;
  if (word == "info") return Level::kInfo;
  if (word == "warn") return Level::kWarn;
  if (word == "error") return Level::kError;
  return Error(
      Code::kInvalid,
      fmt::format("invalid value \"{}\" of --loglevel: it can be debug, info, warn, error", word));
}

std::string format_log_line(Level level, std::chrono::nanoseconds since_start,
                            std::string_view message) {
  constexpr std::array kWords = {"DEBU", "INFO", "WARN", "ERRO", "FATA"};
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(since_start).count();
  return fmt::format("{}[{:04}] {}", kWords.at(static_cast<std::size_t>(level)), seconds, message);
}

void Log::say(Level level, std::string_view message) const {
  if (level < least_) return;
  std::fflush(stdout);  // what was said before comes before, where both go to one place
  fmt::print(stderr, "{}\n", format_log_line(level, clock_.now() - start_, message));
}

}  // namespace trainyard::cli::arena
