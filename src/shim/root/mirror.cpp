#include "shim/root/mirror.h"

#include "shim/root/mount_calls.h"

#include <climits>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

namespace trainyard::shim {
namespace {

bool copy_link(int original, int copy, const char* name) {
  std::string text(PATH_MAX, '\0');
  ssize_t length = ::readlinkat(original, name, text.data(), text.size() - 1);
  if (length < 0) return false;
  text.resize(static_cast<std::size_t>(length));
  return ::symlinkat(text.c_str(), copy, name) == 0;
}

}  // namespace

std::optional<std::vector<std::string>> list_entries(int folder) {
  int listing = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (listing < 0) return std::nullopt;
  std::unique_ptr<DIR, int (*)(DIR*)> entries(::fdopendir(listing), ::closedir);
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(entries.get())) {
    std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  return names;
}

bool mirror_entry(int original, int copy, const char* name) {
  struct stat status{};
  if (::fstatat(original, name, &status, AT_SYMLINK_NOFOLLOW) != 0) return errno == ENOENT;
  if (S_ISLNK(status.st_mode)) return copy_link(original, copy, name);
  Fd tree = clone_tree(original, name, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT);
  if (!tree.valid()) return errno == ENOENT;
  return make_entry(copy, name, S_ISDIR(status.st_mode)) && attach_at(tree, copy, name);
}

}  // namespace trainyard::shim
