#include "cli/arena/views/local_time.h"

#include <array>
#include <ctime>

namespace trainyard::cli::arena {

std::string local_time_text(WallTime time) {
  const std::time_t seconds = WallTime::clock::to_time_t(time);
  std::tm parts{};
  localtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  const std::size_t length = std::strftime(text.data(), text.size(), "%F %T", &parts);
  return {text.data(), length};
}

}  // namespace trainyard::cli::arena
