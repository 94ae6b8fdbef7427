#include "shim/root/hidden_folders.h"

#include "shim/root/mount_calls.h"
#include "shim/root/mount_table.h"

#include <algorithm>
#include <climits>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace trainyard::shim {
namespace {

Fd open_folder(const std::string& path) {
  return Fd(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
}

bool is_same(const std::string& path, const std::string& other) {
  struct stat one{};
  struct stat two{};
  return ::stat(path.c_str(), &one) == 0 && ::stat(other.c_str(), &two) == 0 &&
         one.st_dev == two.st_dev && one.st_ino == two.st_ino;
}

void add(std::string path, std::vector<std::string>& paths) {
  if (std::find(paths.begin(), paths.end(), path) == paths.end()) paths.push_back(std::move(path));
}

}  // namespace

std::string path_of(const Fd& fd) {
  std::string path(PATH_MAX, '\0');
  const std::string link = "/proc/self/fd/" + std::to_string(fd.get());
  ssize_t length = ::readlink(link.c_str(), path.data(), path.size());
  path.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
  return path;
}

MaybeFailure HiddenFolders::find(const std::vector<std::string>& masks) {
  if (masks.empty()) return std::nullopt;
  auto table = read_file(AT_FDCWD, "/proc/self/mountinfo");
  if (!table) return errno_failure("/proc/self/mountinfo");
  for (const std::string& mask : masks) {
    add(mask, paths_);
    Fd folder = open_folder(mask);
    const std::string path = folder.valid() ? path_of(folder) : "";
    if (path.empty()) continue;
    add(path, paths_);
    for (Place& place : other_places(*table, path)) {
      // What is mounted may itself be covered: then something else is there now.
      if (is_same(place.path, place.shows)) add(std::move(place.path), paths_);
    }
  }
  return std::nullopt;
}

MaybeFailure HiddenFolders::cover_in(const Fd& volume, const std::string& source) const {
  for (const std::string& path : paths_) {
    if (source.empty() || path == source || !is_at_or_below(path, source)) continue;
    const std::size_t above = source == "/" ? 1 : source.size() + 1;
    Fd folder = open_beneath(volume.get(), path.c_str() + above);
    if (!folder.valid() && errno == ENOENT) continue;
    Fd cover = folder.valid() ? new_filesystem("tmpfs", {{"mode", "0755"}}) : Fd();
    if (!cover.valid() || !attach(cover, folder) || !make_read_only(cover, Reach::kOne)) {
      return errno_failure("folder " + path + " cannot be hidden in the volume " + source);
    }
  }
  return std::nullopt;
}

}  // namespace trainyard::shim
