#include "node/volumes/memory_folder.h"

#include "base/files/files.h"

#include <fmt/format.h>

#include <cerrno>
#include <sstream>
#include <string>
#include <sys/mount.h>
#include <sys/stat.h>
#include <vector>

namespace trainyard::node {
namespace {

bool is_mount_point(const std::filesystem::path& folder) {
  struct stat own{};
  struct stat above{};
  return ::stat(folder.c_str(), &own) == 0 && ::stat(folder.parent_path().c_str(), &above) == 0 &&
         own.st_dev != above.st_dev;
}

/// The kernel writes spaces and their like as \040.
std::string unescaped(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size()) {
      out += static_cast<char>(std::stoi(text.substr(i + 1, 3), nullptr, 8));
      i += 3;
    } else {
      out += text[i];
    }
  }
  return out;
}

/// The fifth word of each line is where something is mounted; later mounts come later.
std::vector<std::string> mount_points_below(const std::string& table, const std::string& folder) {
  std::vector<std::string> points;
  std::istringstream lines(table);
  std::string line;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string word;
    for (int i = 0; i < 5; ++i) words >> word;
    const std::string point = unescaped(word);
    if (point.starts_with(folder + "/")) points.push_back(point);
  }
  return points;
}

}  // namespace

Result<> mount_memory(const std::filesystem::path& folder, std::int64_t bytes) {
  if (is_mount_point(folder)) return Ok();
  const std::string options =
      bytes > 0 ? fmt::format("mode=1777,size={}", bytes) : std::string("mode=1777");
  // By this name other servers' containers know that it is not for them
  // (shim/root/mount_table.cpp).
  if (::mount("trainyard", folder.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, options.c_str()) != 0) {
    return io_error("mounting memory at", folder, errno);
  }
  return Ok();
}

Result<> unmount_below(const std::filesystem::path& folder) {
  std::error_code failed;
  const std::filesystem::path real = std::filesystem::canonical(folder, failed);
  if (failed) return Ok();  // nothing is there, and nothing in it
  TRY(const std::string table, read_file("/proc/self/mountinfo"));
  const auto points = mount_points_below(table, real);
  for (auto point = points.rbegin(); point != points.rend(); ++point) {
    // A container that still has it keeps it; here it is gone.
    if (::umount2(point->c_str(), MNT_DETACH | UMOUNT_NOFOLLOW) == 0) continue;
    // Another thread may have been faster.
    if (errno != EINVAL && errno != ENOENT) return io_error("unmounting", *point, errno);
  }
  return Ok();
}

}  // namespace trainyard::node
