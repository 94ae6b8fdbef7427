#include "server/audit/audit_file.h"

#include "base/files/files.h"
#include "contract/audit_entry.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace trainyard::server {
namespace {

using contract::audit_file;

/// Whether the last line was cut short, as by a power cut.
bool ends_amid_a_line(int file, std::int64_t size) {
  char last = '\n';
  return size > 0 && ::pread(file, &last, 1, size - 1) == 1 && last != '\n';
}

}  // namespace

/// Somebody has put it away: what follows belongs into a new one.
bool AuditFile::was_moved() const {
  struct stat here{};
  struct stat there{};
  if (::fstat(file_.get(), &here) != 0) return true;
  return ::stat(audit_file(data_dir_).c_str(), &there) != 0 || here.st_ino != there.st_ino ||
         here.st_dev != there.st_dev;
}

Result<> AuditFile::open() {
  const std::filesystem::path path = audit_file(data_dir_);
  file_ =
      UniqueFd(::open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file_.valid()) return io_error("open", path, errno);
  struct stat facts{};
  if (::fstat(file_.get(), &facts) != 0) return io_error("read", path, errno);
  size_ = facts.st_size;
  if (ends_amid_a_line(file_.get(), size_) && ::write(file_.get(), "\n", 1) == 1) ++size_;
  return Ok();
}

/// The oldest goes, the others become one older.
Result<> AuditFile::rotate() {
  std::error_code failure;
  std::filesystem::remove(audit_file(data_dir_, limits_.kept), failure);
  for (int age = limits_.kept; age > 0; --age) {
    const std::filesystem::path from = audit_file(data_dir_, age - 1);
    const std::filesystem::path to = audit_file(data_dir_, age);
    if (::rename(from.c_str(), to.c_str()) != 0 && errno != ENOENT) {
      return io_error("rename", from, errno);
    }
  }
  if (limits_.kept == 0) std::filesystem::remove(audit_file(data_dir_), failure);
  file_.reset();
  return open();
}

Result<> AuditFile::append(std::string_view line) {
  if (!file_.valid() || was_moved()) TRY_OK(open());
  const auto length = static_cast<std::int64_t>(line.size());
  if (size_ > 0 && size_ + length > limits_.bytes) TRY_OK(rotate());
  const ssize_t written = ::write(file_.get(), line.data(), line.size());
  if (written == length) {
    size_ += length;
    return Ok();
  }
  const int why = written < 0 ? errno : ENOSPC;
  // What a full disk took of it must not run into the next line.
  if (written > 0 && ::ftruncate(file_.get(), size_) != 0) file_.reset();
  return io_error("write", audit_file(data_dir_), why);
}

}  // namespace trainyard::server
