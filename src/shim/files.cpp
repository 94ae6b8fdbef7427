#include "shim/files.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>

namespace trainyard::shim {
namespace {

constexpr unsigned kFileMode = 0644;

std::string temporary_name(const char* name) {
  return std::string(".") + name + ".tmp";
}

}  // namespace

std::optional<std::string> read_file(int dir, const char* path) {
  Fd file(::openat(dir, path, O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return std::nullopt;
  std::string content;
  for (;;) {
    std::size_t size = content.size();
    content.resize(size + 16384);
    ssize_t count = ::read(file.get(), content.data() + size, content.size() - size);
    if (count < 0 && errno != EINTR) return std::nullopt;
    content.resize(size + static_cast<std::size_t>(count > 0 ? count : 0));
    if (count == 0) return content;
  }
}

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t count = ::write(fd, bytes.data(), bytes.size());
    if (count < 0) {
      if (errno == EINTR) continue;
      return false;
    }
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

bool replace_file(int dir, const char* name, std::string_view content, Sync sync) {
  std::string temporary = temporary_name(name);
  // No O_TRUNC: the blocks that reserve_file() set aside must stay.
  Fd file(::openat(dir, temporary.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, kFileMode));
  if (!file.valid()) return false;
  if (!write_all(file.get(), content)) return false;
  if (::ftruncate(file.get(), static_cast<off_t>(content.size())) != 0) return false;
  if (sync == Sync::kYes && ::fsync(file.get()) != 0) return false;
  if (::renameat(dir, temporary.c_str(), dir, name) != 0) return false;
  return sync == Sync::kNo || ::fsync(dir) == 0;
}

bool reserve_file(int dir, const char* name, std::size_t bytes) {
  std::string temporary = temporary_name(name);
  Fd file(::openat(dir, temporary.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, kFileMode));
  if (!file.valid()) return errno != ENOSPC && errno != EDQUOT;
  if (::fallocate(file.get(), 0, 0, static_cast<off_t>(bytes)) == 0) return true;
  // A file system that does not know how is written to; one that keeps nothing when it is
  // overwritten loses only the guarantee.
  bool written = errno == EOPNOTSUPP && write_all(file.get(), std::string(bytes, '\0'));
  return written || (errno != ENOSPC && errno != EDQUOT);
}

bool append_line(int dir, const char* name, std::string_view line) {
  Fd file(::openat(dir, name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, kFileMode));
  if (!file.valid()) return false;
  return write_all(file.get(), std::string(line) + "\n");
}

}  // namespace trainyard::shim
