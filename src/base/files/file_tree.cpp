#include "base/files/file_tree.h"

#include "base/crypto/ids.h"
#include "base/files/files.h"

#include <cerrno>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace trainyard {
namespace {

/// Not blocked by a pipe that nobody writes to; what it is is looked at afterwards.
constexpr int kReading = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;

/// Folders can be nested deeper than a stack, or the number of open files, reaches.
constexpr int kDeepest = 64;

struct TreeRemoval {
  int top;                           // the folder that all of it is in
  std::vector<std::string> waiting;  // names there that are still to go
};

Result<> remove_entry(TreeRemoval& removal, int folder, const std::string& name, int depth) {
  if (::unlinkat(folder, name.c_str(), 0) == 0 || errno == ENOENT) return Ok();
  if (errno != EISDIR && errno != EPERM) return io_error("removing", name, errno);
  if (depth == kDeepest) {  // to the top with it, and later
    const std::string aside = ".trainyard-" + random_hex(8);
    if (::renameat(folder, name.c_str(), removal.top, aside.c_str()) != 0) {
      return io_error("moving away", name, errno);
    }
    removal.waiting.push_back(aside);
    return Ok();
  }
  const UniqueFd open(
      ::openat(folder, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!open.valid()) return io_error("opening folder", name, errno);
  TRY(const auto names, names_in(open.get(), name));
  for (const std::string& entry : names) {
    TRY_OK(remove_entry(removal, open.get(), entry, depth + 1));
  }
  if (::unlinkat(folder, name.c_str(), AT_REMOVEDIR) == 0 || errno == ENOENT) return Ok();
  return io_error("removing folder", name, errno);
}

}  // namespace

Result<std::vector<std::string>> names_in(int folder, const std::string& called) {
  UniqueFd own(::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(::fdopendir(own.get()), ::closedir);
  if (entries == nullptr) return io_error("reading folder", called, errno);
  (void)own.release();
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* entry = ::readdir(entries.get())) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
  }
  if (errno != 0) return io_error("reading folder", called, errno);
  return names;
}

std::uint64_t bytes_in(const UniqueFd& source) {
  struct stat status{};
  if (::fstat(source.get(), &status) != 0) return 0;
  if (S_ISREG(status.st_mode)) return static_cast<std::uint64_t>(status.st_size);
  if (!S_ISDIR(status.st_mode)) return 0;
  std::uint64_t bytes = 0;
  const auto names = names_in(source.get(), "");
  if (!names) return 0;
  for (const std::string& entry : *names) {
    if (::fstatat(source.get(), entry.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (S_ISREG(status.st_mode)) bytes += static_cast<std::uint64_t>(status.st_size);
    if (!S_ISDIR(status.st_mode)) continue;
    bytes += bytes_in(UniqueFd(::openat(source.get(), entry.c_str(), kReading)));
  }
  return bytes;
}

Result<> remove_tree(int folder, const std::string& name) {
  TreeRemoval removal{folder, {name}};
  while (!removal.waiting.empty()) {
    const std::string next = std::move(removal.waiting.back());
    removal.waiting.pop_back();
    TRY_OK(remove_entry(removal, folder, next, 0));
  }
  return Ok();
}

}  // namespace trainyard
