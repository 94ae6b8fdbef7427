#include "base/files/files.h"
#include "base/files/unique_fd.h"
#include "jobs/hooks/hook_delivery.h"

#include <fmt/format.h>
#include <spawn.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <fcntl.h>
#include <optional>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

extern char** environ;  // NOLINT(readability-redundant-declaration)

namespace trainyard::jobs {
namespace {

// The server has its children buried by the kernel, so nobody can ask how one ended: the shell
// says it, at the other end of a pipe.
constexpr const char* kWrapper = R"sh(/bin/sh -c "$1" 3>&-; echo $? >&3)sh";
constexpr off_t kLongLog = 1 << 20;
constexpr std::chrono::milliseconds kLook{50};  // between two looks whether it has ended

/// In memory only, and read to its end by whoever wants to: a pipe might be full.
Result<UniqueFd> file_with(const std::string& text) {
  UniqueFd file(::memfd_create("notice", MFD_CLOEXEC));
  if (!file.valid()) return io_error("making", "a file in memory", errno);
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t got = ::write(file.get(), text.data() + done, text.size() - done);
    if (got < 0) return io_error("writing", "a file in memory", errno);
    done += static_cast<std::size_t>(got);
  }
  ::lseek(file.get(), 0, SEEK_SET);
  return file;
}

Result<UniqueFd> open_log(const std::filesystem::path& path) {
  UniqueFd log(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!log.valid()) return io_error("opening", path, errno);
  if (::lseek(log.get(), 0, SEEK_END) > kLongLog && ::ftruncate(log.get(), 0) != 0) {
    return io_error("emptying", path, errno);
  }
  return log;
}

std::vector<std::string> environment_for(const Json& notice) {
  std::vector<std::string> variables;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    if (!std::string_view(*entry).starts_with("TRAINYARD_")) variables.emplace_back(*entry);
  }
  const std::pair<const char*, const char*> told[] = {{"JOB", "name"},
                                                      {"NAMESPACE", "namespace"},
                                                      {"KIND", "kind"},
                                                      {"PHASE", "phase"},
                                                      {"REASON", "reason"}};
  for (const auto& [name, field] : told) {
    std::string value(string_at(notice, field));
    std::erase(value, '\0');
    variables.push_back(fmt::format("TRAINYARD_{}={}", name, value));
  }
  return variables;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> out;
  for (std::string& word : words) out.push_back(word.data());
  out.push_back(nullptr);
  return out;
}

/// In a process group of its own, which can be killed as a whole.
Result<pid_t> spawn_hook(const std::string& command, const Json& notice, int in, int log, int end) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, log, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, log, STDERR_FILENO);
  posix_spawn_file_actions_adddup2(&actions, end, 3);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t usual;
  sigemptyset(&usual);
  for (const int signal : {SIGPIPE, SIGCHLD}) sigaddset(&usual, signal);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  std::vector<std::string> words{"/bin/sh", "-c", kWrapper, "trainyard-hook", command};
  std::vector<std::string> variables = environment_for(notice);
  pid_t pid = 0;
  const int failed = posix_spawn(&pid, "/bin/sh", &actions, &attributes, pointers(words).data(),
                                 pointers(variables).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return io_error("starting", "/bin/sh", failed);
  return pid;
}

/// A command that runs. Who waits for it no longer, because of its time or because the server
/// stops, ends it with all that it has started.
class HookProcess {
 public:
  HookProcess(pid_t group, UniqueFd end) : group_(group), end_(std::move(end)) {}
  HookProcess(const HookProcess&) = delete;
  HookProcess& operator=(const HookProcess&) = delete;
  ~HookProcess() {
    if (!ended_) ::kill(-group_, SIGKILL);
  }

  /// Whether it has ended. Reads what the shell says of it; waits for nothing.
  bool has_ended() {
    std::array<char, 32> piece{};
    while (!ended_) {
      const ssize_t got = ::read(end_.get(), piece.data(), piece.size());
      if (got < 0 && errno == EAGAIN) break;
      if (got <= 0) ended_ = true;
      if (got > 0 && told_.size() < piece.size()) {
        told_.append(piece.data(), static_cast<std::size_t>(got));
      }
    }
    return ended_;
  }
  /// Nothing: it was killed.
  std::optional<int> exit_code() const {
    int code = 0;
    const auto read = std::from_chars(told_.data(), told_.data() + told_.size(), code);
    if (read.ec != std::errc()) return std::nullopt;
    return code;
  }

 private:
  pid_t group_;
  UniqueFd end_;
  std::string told_;
  bool ended_ = false;
};

}  // namespace

awaitable<Result<>> run_hook_command(Clock& clock, HookLimits limits, std::string command,
                                     std::filesystem::path log, Json notice) {
  CO_TRY(const UniqueFd in, file_with(to_text(notice) + "\n"));
  CO_TRY(const UniqueFd output, open_log(log));
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) {
    co_return io_error("making a pipe for", "a hook", errno);
  }
  UniqueFd read_end(ends[0]);
  UniqueFd write_end(ends[1]);
  CO_TRY(const pid_t pid, spawn_hook(command, notice, in.get(), output.get(), write_end.get()));
  write_end.reset();
  HookProcess process(pid, std::move(read_end));
  const TimePoint deadline = clock.now() + limits.command;
  while (!process.has_ended()) {
    if (clock.now() >= deadline) {
      co_return Error(Code::kTimeout, fmt::format("it took longer than {} s and was killed",
                                                  limits.command.count()));
    }
    co_await clock.sleep_for(kLook);
  }
  const auto code = process.exit_code();
  if (code == 0) co_return Ok();
  co_return Error(
      Code::kUnavailable,
      fmt::format("{}; what it wrote is in {}",
                  code ? fmt::format("it exited with {}", *code) : "it was killed", log.string()));
}

}  // namespace trainyard::jobs
