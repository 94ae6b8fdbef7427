#include "base/files/files.h"

#include "base/crypto/ids.h"
#include "base/files/folder_entries.h"
#include "base/files/unique_fd.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace trainyard {
namespace {

Result<> write_all(int fd, std::string_view content, const std::filesystem::path& path) {
  while (!content.empty()) {
    const ssize_t written = ::write(fd, content.data(), content.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return io_error("writing", path, errno);
    }
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return Ok();
}

Result<> sync_folder(const std::filesystem::path& folder) {
  const UniqueFd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.valid() || ::fsync(fd.get()) != 0) return io_error("syncing", folder, errno);
  return Ok();
}

/// By a file beside it that takes its name: readers see the old or the new one.
Result<> replace_file(const std::filesystem::path& path, std::string_view content, unsigned mode,
                      bool sync) {
  std::filesystem::path beside = path;
  beside += ".new-" + random_hex(4);
  UniqueFd fd(::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
  if (!fd.valid()) return io_error("creating", beside, errno);
  Result<> written = write_all(fd.get(), content, beside);
  if (written && sync && ::fsync(fd.get()) != 0) written = io_error("syncing", beside, errno);
  fd.reset();
  if (written && ::rename(beside.c_str(), path.c_str()) != 0) {
    written = io_error("replacing", path, errno);
  }
  if (!written) ::unlink(beside.c_str());
  return written;
}

/// Root needs no rights to remove what is in a folder; an ordinary user does, also to their own.
void take_rights(const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  std::error_code failed;
  const auto allow = [&](const fs::path& path) {
    fs::permissions(path, fs::perms::owner_all, fs::perm_options::add, failed);
  };
  allow(folder);
  // A folder is entered after it was seen: by then it can be.
  fs::recursive_directory_iterator entries(folder, failed);
  while (entries != fs::recursive_directory_iterator()) {
    if (fs::is_directory(entries->symlink_status(failed))) allow(entries->path());
    entries.increment(failed);
  }
}

}  // namespace

Error io_error(std::string_view doing, const std::filesystem::path& path, int errno_value) {
  const Code code = errno_value == ENOENT                            ? Code::kNotFound
                    : errno_value == EACCES || errno_value == EPERM  ? Code::kForbidden
                    : errno_value == ENOSPC || errno_value == EDQUOT ? Code::kUnavailable
                                                                     : Code::kInternal;
  return Error(code, fmt::format("{} {}: {}", doing, path.string(),
                                 std::generic_category().message(errno_value)));
}

Result<std::string> read_file(const std::filesystem::path& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return io_error("reading", path, errno);
  std::string content;
  char buffer[65536];
  while (true) {
    const ssize_t got = ::read(fd.get(), buffer, sizeof buffer);
    if (got == 0) return content;
    if (got < 0) {
      if (errno == EINTR) continue;
      return io_error("reading", path, errno);
    }
    content.append(buffer, static_cast<std::size_t>(got));
  }
}

Result<> write_file(const std::filesystem::path& path, std::string_view content, unsigned mode) {
  TRY_OK(replace_file(path, content, mode, true));
  return sync_folder(path.has_parent_path() ? path.parent_path() : ".");
}

Result<> write_file_unsynced(const std::filesystem::path& path, std::string_view content,
                             unsigned mode) {
  return replace_file(path, content, mode, false);
}

Result<> make_folders(const std::filesystem::path& path, unsigned mode) {
  struct stat found{};
  if (::stat(path.c_str(), &found) == 0) {
    if (S_ISDIR(found.st_mode)) return Ok();
    return Error(Code::kAlreadyExists, path.string() + " exists and is not a folder");
  }
  if (path.has_parent_path() && path.parent_path() != path) {
    TRY_OK(make_folders(path.parent_path(), mode));
  }
  if (::mkdir(path.c_str(), mode) != 0 && errno != EEXIST) {
    return io_error("creating folder", path, errno);
  }
  return Ok();
}

Result<> remove_folder(const std::filesystem::path& path) {
  std::error_code failed;
  std::filesystem::remove_all(path, failed);
  if (failed == std::errc::permission_denied) {
    take_rights(path);
    std::filesystem::remove_all(path, failed);
  }
  if (failed) return io_error("removing", path, failed.value());
  return Ok();
}

}  // namespace trainyard
