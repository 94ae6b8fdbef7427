#include "cli/logs/log_lines.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <unistd.h>

namespace trainyard::cli {
namespace {

/// Colours of terminals that can be told apart and read on light and dark alike.
constexpr std::array<int, 6> kColours{36, 33, 32, 35, 34, 31};
/// A program that writes this much without ending its line gets a line of its own.
constexpr std::size_t kLongestLine = 64 * 1024;

/// What a terminal would show of a line that was written over itself, as progress bars do.
std::string_view as_shown(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  const std::size_t back = line.rfind('\r');
  return back == std::string_view::npos ? line : line.substr(back + 1);
}

}  // namespace

LineTagger::LineTagger(const std::vector<std::string>& replicas, bool coloured)
    : tags_(replicas.size() > 1), coloured_(coloured) {
  for (const std::string& replica : replicas) tag_of(replica);
}

const std::string& LineTagger::tag_of(const std::string& replica) {
  const auto [place, added] = tags_by_replica_.try_emplace(replica);
  if (added && coloured_) {
    const int colour = kColours[(tags_by_replica_.size() - 1) % kColours.size()];
    place->second = fmt::format("\x1b[{}m[{}]\x1b[0m ", colour, replica);
  } else if (added) {
    place->second = fmt::format("[{}] ", replica);
  }
  return place->second;
}

std::string LineTagger::tagged(const std::string& replica, std::string_view line) {
  return fmt::format("{}{}\n", tag_of(replica), as_shown(line));
}

std::string LineTagger::put(const std::string& replica, std::string_view bytes) {
  if (!tags_) return std::string(bytes);
  std::string& rest = unfinished_[replica];
  std::string out;
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    rest += bytes.substr(0, end);
    if (end == std::string_view::npos && rest.size() < kLongestLine) break;
    out += tagged(replica, rest);
    rest.clear();
    if (end == std::string_view::npos) break;
    bytes.remove_prefix(end + 1);
  }
  return out;
}

std::string LineTagger::finish(const std::string& replica) {
  std::string& rest = unfinished_[replica];
  if (rest.empty()) return {};
  std::string out = tagged(replica, rest);
  rest.clear();
  return out;
}

bool wants_colours(int output) {
  const char* none = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  if (none != nullptr && *none != '\0') return false;
  return isatty(output) == 1 && terminal != nullptr && std::string_view(terminal) != "dumb";
}

}  // namespace trainyard::cli
