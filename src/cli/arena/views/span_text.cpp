#include "cli/arena/views/span_text.h"

#include <fmt/format.h>

namespace trainyard::cli::arena {

std::string span_text(std::chrono::nanoseconds span) {
  const std::int64_t seconds = std::chrono::duration_cast<std::chrono::seconds>(span).count();
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 60) return fmt::format("{}s", seconds);
  const std::int64_t minutes = seconds / 60;
  if (minutes < 60) return fmt::format("{}m", minutes);
  const std::int64_t hours = minutes / 60;
  if (hours < 24) return fmt::format("{}h", hours);
  const std::int64_t days = hours / 24;
  return days < 365 ? fmt::format("{}d", days) : fmt::format("{}y", days / 365);
}

}  // namespace trainyard::cli::arena
