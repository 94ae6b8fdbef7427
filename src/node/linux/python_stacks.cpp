#include "node/linux/python_stacks.h"

#include "base/files/files.h"
#include "base/files/unique_fd.h"
#include "node/linux/process_states.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <fcntl.h>
#include <optional>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace trainyard::node {
namespace {

namespace fs = std::filesystem;

constexpr off_t kMostBytes = off_t{256} * 1024;
constexpr off_t kTooMuch = off_t{1024} * 1024;  // kept by the process itself
constexpr int kLooks = 100;
constexpr useconds_t kBetweenLooks = 5000;

Error none(const char* why) {
  return Error(Code::kUnavailable, why);
}

/// Whether the process has a handler for SIGURG of its own.
bool listens(const fs::path& process) {
  constexpr std::string_view kName = "SigCgt:";
  const auto status = read_file(process / "status");
  if (!status) return false;
  const std::size_t place = status->find(kName);
  if (place == std::string::npos) return false;
  std::string_view digits(*status);
  digits.remove_prefix(place + kName.size());
  digits.remove_prefix(std::min(digits.find_first_not_of(" \t"), digits.size()));
  std::uint64_t caught = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), caught, 16);
  return ((caught >> (SIGURG - 1)) & 1U) != 0;
}

std::optional<fs::path> find_stacks_file(const fs::path& process) {
  const std::string name = fmt::format("/memfd:{} (deleted)", kStacksFile);
  std::error_code failed;
  for (auto entry = fs::directory_iterator(process / "fd", failed);
       !failed && entry != fs::directory_iterator(); entry.increment(failed)) {
    std::error_code closed;
    if (fs::read_symlink(entry->path(), closed) == name) return entry->path();
  }
  return std::nullopt;
}

off_t size_of(const UniqueFd& file) {
  struct stat status{};
  return ::fstat(file.get(), &status) == 0 ? status.st_size : 0;
}

/// Waits until something was written, and nothing more comes.
bool wait_for_text(const UniqueFd& file, off_t before) {
  off_t last = before;
  for (int i = 0; i < kLooks; ++i) {
    ::usleep(kBetweenLooks);
    const off_t now = size_of(file);
    if (now > before && now == last) return true;
    last = now;
  }
  return false;
}

}  // namespace

Result<std::string> ask_python_stacks(const fs::path& proc, int pid, std::uint64_t start) {
  const fs::path process = proc / std::to_string(pid);
  const auto handle = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
  const UniqueFd target(handle);
  const ProcessState state = read_process_state(proc, pid);
  // Only now is it sure that the handle is that of the process that is meant.
  if (!target.valid() || state.start != start) return none("it has ended");
  if (state.state == 'T' || state.state == 't') return none("it is stopped");
  const auto path = find_stacks_file(process);
  if (!path) return none("it is no Python that was started with trainyard's PYTHONPATH");
  if (!listens(process)) return none("it does not listen for SIGURG any more");
  UniqueFd file(::open(path->c_str(), O_RDWR | O_CLOEXEC));
  if (!file.valid()) return none("its stacks may not be read by the server");
  if (size_of(file) > kTooMuch) (void)!::ftruncate(file.get(), 0);
  const off_t before = size_of(file);
  if (::syscall(SYS_pidfd_send_signal, target.get(), SIGURG, nullptr, 0) != 0) {
    return none("it may not be signalled by the server");
  }
  if (!wait_for_text(file, before)) return none("it does not answer");
  std::string text(static_cast<std::size_t>(std::min(size_of(file) - before, kMostBytes)), '\0');
  const ssize_t count = ::pread(file.get(), text.data(), text.size(), before);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  return text;
}

}  // namespace trainyard::node
