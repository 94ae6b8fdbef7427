#include "shim/root/mount_table.h"

#include <algorithm>

namespace trainyard::shim {
namespace {

constexpr int kDeviceField = 2;
constexpr int kRootField = 3;
constexpr int kMountPointField = 4;
/// Memory that pods share (node/volumes/memory_folder.cpp): those of another server on this machine
/// are nobody else's, and a copy of the mount would keep them after their pod.
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

template <class Visit>
void for_each_line(std::string_view text, Visit visit) {
  while (!text.empty()) {
    std::size_t end = std::min(text.find('\n'), text.size());
    visit(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

std::vector<std::string> mount_points(std::string_view mountinfo) {
  std::vector<std::string> points;
  for_each_line(mountinfo, [&](std::string_view line) {
    std::string point = unescape(field_of(line, kMountPointField));
    const bool is_root = point.size() <= 1;
    if (!is_root && line.find(kMemoryOfPods) == line.npos) points.push_back(std::move(point));
  });
  return points;
}

struct MountLine {
  std::string device;
  std::string root;   // which folder of the file system is mounted
  std::string point;  // where
};

std::vector<MountLine> mount_lines(std::string_view mountinfo) {
  std::vector<MountLine> lines;
  for_each_line(mountinfo, [&](std::string_view line) {
    MountLine mount{std::string(field_of(line, kDeviceField)), unescape(field_of(line, kRootField)),
                    unescape(field_of(line, kMountPointField))};
    if (!mount.root.empty() && !mount.point.empty()) lines.push_back(std::move(mount));
  });
  return lines;
}

/// `path`, which is `from` or below it, seen from `to`.
std::string moved(std::string_view path, std::string_view from, std::string_view to) {
  std::string_view rest = path.substr(from == "/" ? 0 : from.size());
  while (rest.starts_with('/')) rest.remove_prefix(1);
  std::string place(to);
  if (rest.empty()) return place;
  if (place.back() != '/') place += '/';
  return place.append(rest);
}

/// The mount that a path is in: the deepest, and of several at one place the last.
const MountLine* holder_of(const std::vector<MountLine>& mounts, std::string_view path) {
  const MountLine* holder = nullptr;
  for (const MountLine& mount : mounts) {
    if (!is_at_or_below(path, mount.point)) continue;
    if (holder == nullptr || mount.point.size() >= holder->point.size()) holder = &mount;
  }
  return holder;
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

std::vector<Place> other_places(std::string_view mountinfo, std::string_view folder) {
  const std::vector<MountLine> mounts = mount_lines(mountinfo);
  const MountLine* holder = holder_of(mounts, folder);
  std::vector<Place> places;
  if (holder == nullptr) return places;
  const std::string inner = moved(folder, holder->point, holder->root);
  for (const MountLine& mount : mounts) {
    if (mount.device != holder->device || is_at_or_below(mount.point, folder)) continue;
    if (is_at_or_below(inner, mount.root)) {
      std::string path = moved(inner, mount.root, mount.point);
      if (path != folder) places.push_back({std::move(path), std::string(folder)});
    } else if (is_at_or_below(mount.root, inner) && mount.point != "/") {
      places.push_back({mount.point, moved(mount.root, inner, folder)});
    }
  }
  return places;
}

}  // namespace trainyard::shim
