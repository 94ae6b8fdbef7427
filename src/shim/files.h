#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace trainyard::shim {

/// Owns a file descriptor.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    if (this != &other) {
      reset();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  ~Fd() { reset(); }

  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  void reset() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

 private:
  int fd_ = -1;
};

// All of these report by errno. Paths are relative to the open folder `dir`, because the mounts
// change under the shim's feet; AT_FDCWD works too.

std::optional<std::string> read_file(int dir, const char* path);
bool write_all(int fd, std::string_view bytes);

enum class Sync { kNo, kYes };
/// Readers see the old file or the new one. With Sync::kYes that also holds after a power cut.
bool replace_file(int dir, const char* name, std::string_view content, Sync sync);
/// Sets space aside for a later replace_file(name), so that it also works on a full disk. False: it
/// is full already.
bool reserve_file(int dir, const char* name, std::size_t bytes);
bool append_line(int dir, const char* name, std::string_view line);

}  // namespace trainyard::shim
