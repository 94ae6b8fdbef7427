#include "base/files/file_tree.h"

#include "base/crypto/ids.h"
#include "base/files/file_draft.h"
#include "base/files/files.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <climits>
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

Result<> copy_bytes(int from, int to, const std::string& name, const Copied& copied) {
  std::vector<char> buffer(1 << 20);
  while (true) {
    const ssize_t got = ::read(from, buffer.data(), buffer.size());
    if (got == 0) return Ok();
    if (got < 0) return io_error("reading", name, errno);
    for (ssize_t done = 0; done < got;) {
      const ssize_t written =
          ::write(to, buffer.data() + done, static_cast<std::size_t>(got - done));
      if (written < 0) return io_error("writing", name, errno);
      done += written;
    }
    if (copied) copied(static_cast<std::uint64_t>(got));
  }
}

Result<> copy_file(int source, mode_t mode, int into, const std::string& name,
                   const Copied& copied) {
  FileDraft draft(into, name);
  const UniqueFd out(
      ::openat(into, draft.name(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!out.valid()) return io_error("creating", name, errno);
  TRY_OK(copy_bytes(source, out.get(), name, copied));
  // Without the bits that make a program run as its owner: a job may have set them.
  if (::fchmod(out.get(), mode & 0777) != 0) return io_error("changing the mode of", name, errno);
  return draft.finish();
}

Result<> copy_link(int from, const std::string& name, int into) {
  std::array<char, PATH_MAX> target{};
  const ssize_t length = ::readlinkat(from, name.c_str(), target.data(), target.size() - 1);
  if (length < 0) return io_error("reading link", name, errno);
  FileDraft draft(into, name);
  if (::symlinkat(target.data(), into, draft.name()) != 0) {
    return io_error("linking", name, errno);
  }
  return draft.finish();
}

Result<> copy_entry(const UniqueFd& source, int into, const std::string& name,
                    const Copied& copied);

Result<> copy_folder(const UniqueFd& source, mode_t mode, int into, const std::string& name,
                     const Copied& copied) {
  const bool made = ::mkdirat(into, name.c_str(), 0700) == 0;
  if (!made && errno != EEXIST) return io_error("making folder", name, errno);
  const UniqueFd target(
      ::openat(into, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!target.valid()) return io_error("opening folder", name, errno);
  TRY(const auto names, names_in(source.get(), name));
  for (const std::string& entry : names) {
    struct stat status{};
    if (::fstatat(source.get(), entry.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
      return io_error("looking at", entry, errno);
    }
    if (S_ISLNK(status.st_mode)) {
      TRY_OK(copy_link(source.get(), entry, target.get()));
      continue;
    }
    const UniqueFd open(::openat(source.get(), entry.c_str(), kReading));
    if (!open.valid()) return io_error("opening", entry, errno);
    TRY_OK(copy_entry(open, target.get(), entry, copied));
  }
  // At last: a folder that may not be written to could not have been filled.
  if (made && ::fchmod(target.get(), mode & 0777) != 0) {
    return io_error("changing the mode of", name, errno);
  }
  return Ok();
}

Result<> copy_entry(const UniqueFd& source, int into, const std::string& name,
                    const Copied& copied) {
  struct stat status{};
  if (::fstat(source.get(), &status) != 0) return io_error("looking at", name, errno);
  if (S_ISDIR(status.st_mode)) return copy_folder(source, status.st_mode, into, name, copied);
  if (S_ISREG(status.st_mode)) return copy_file(source.get(), status.st_mode, into, name, copied);
  return Error(Code::kInvalid, fmt::format("{} is neither a file nor a folder", name));
}

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

bool is_same(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/// Whether `folder` is `other` or lies in it.
bool lies_in(int folder, int other) {
  struct stat sought{};
  struct stat here{};
  struct stat above{};
  if (::fstat(other, &sought) != 0 || ::fstat(folder, &here) != 0) return false;
  UniqueFd place(::openat(folder, ".", O_PATH | O_DIRECTORY | O_CLOEXEC));
  while (place.valid() && !is_same(here, sought)) {
    place = UniqueFd(::openat(place.get(), "..", O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!place.valid() || ::fstat(place.get(), &above) != 0 || is_same(above, here)) return false;
    here = above;
  }
  return place.valid();
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

Result<> copy_tree(const UniqueFd& source, int into, const std::string& name,
                   const Copied& copied) {
  if (lies_in(into, source.get())) {
    return Error(Code::kInvalid, fmt::format("{} cannot be copied into itself", name));
  }
  return copy_entry(source, into, name, copied);
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
