#include "shim/mount_table.h"

#include <algorithm>

namespace trainyard::shim {
namespace {

constexpr int kMountPointField = 4;
/// Memory that pods share (node/memory_folder.cpp): those of another server on this machine are
/// nobody else's, and a copy of the mount would keep them after their pod.
constexpr std::string_view kMemoryOfPods = " - tmpfs trainyard ";

std::string_view field_of(std::string_view line, int index) {
  for (; index > 0; --index) {
    std::size_t space = line.find(' ');
    if (space == line.npos) return {};
    line.remove_prefix(space + 1);
  }
  return line.substr(0, line.find(' '));
}

bool is_octal(char character) {
  return character >= '0' && character <= '7';
}

/// The kernel writes space, tab, newline and backslash as \040 and so on.
std::string unescape(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size() && is_octal(text[i + 1]) && is_octal(text[i + 2]) &&
        is_octal(text[i + 3])) {
      int code = (text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0');
      plain += static_cast<char>(code);
      i += 3;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

std::vector<std::string> mount_points(std::string_view mountinfo) {
  std::vector<std::string> points;
  while (!mountinfo.empty()) {
    std::size_t end = std::min(mountinfo.find('\n'), mountinfo.size());
    const std::string_view line = mountinfo.substr(0, end);
    std::string point = unescape(field_of(line, kMountPointField));
    const bool is_root = point.size() <= 1;
    if (!is_root && line.find(kMemoryOfPods) == line.npos) points.push_back(std::move(point));
    mountinfo.remove_prefix(std::min(end + 1, mountinfo.size()));
  }
  return points;
}

}  // namespace

bool is_at_or_below(std::string_view path, std::string_view folder) {
  while (folder.size() > 1 && folder.back() == '/') folder.remove_suffix(1);
  if (!path.starts_with(folder)) return false;
  return folder == "/" || path.size() == folder.size() || path[folder.size()] == '/';
}

std::vector<std::string> top_level_submounts(std::string_view mountinfo,
                                             const std::vector<std::string>& skip) {
  std::vector<std::string> all = mount_points(mountinfo);
  std::vector<std::string> chosen;
  for (const std::string& point : all) {
    auto holds_point = [&](const std::string& folder) { return is_at_or_below(point, folder); };
    auto is_parent = [&](const std::string& other) { return other != point && holds_point(other); };
    if (std::any_of(skip.begin(), skip.end(), holds_point)) continue;
    if (std::any_of(all.begin(), all.end(), is_parent)) continue;
    if (std::find(chosen.begin(), chosen.end(), point) == chosen.end()) chosen.push_back(point);
  }
  return chosen;
}

}  // namespace trainyard::shim
