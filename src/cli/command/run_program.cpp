#include "cli/command/run_program.h"

#include "base/files/files.h"
#include "base/files/unique_fd.h"

#include <fmt/format.h>
#include <spawn.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;  // NOLINT(readability-redundant-declaration)

namespace trainyard::cli {
namespace {

constexpr int kPatienceMs = 20'000;  // between two pieces of output
constexpr std::size_t kMostOutput = 65536;

Result<int> wait_end(pid_t pid, const std::string& name) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) return io_error("waiting for", name, errno);
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

Result<pid_t> spawn_into(const std::vector<std::string>& command, int out, bool quiet) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  if (quiet) posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::vector<std::string> words = command;
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t pid = 0;
  const int failed = posix_spawnp(&pid, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return io_error("starting", command[0], failed);
  return pid;
}

}  // namespace

Result<ProgramOutput> capture_program(const std::vector<std::string>& command) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return io_error("making a pipe for", command[0], errno);
  const UniqueFd read_end(ends[0]);
  UniqueFd write_end(ends[1]);
  TRY(const pid_t pid, spawn_into(command, write_end.get(), true));
  write_end.reset();
  ProgramOutput output;
  std::array<char, 4096> piece{};
  while (true) {
    struct pollfd ready{read_end.get(), POLLIN, 0};
    if (::poll(&ready, 1, kPatienceMs) <= 0) {
      ::kill(pid, SIGKILL);
      (void)wait_end(pid, command[0]);
      return Error(Code::kTimeout, fmt::format("{} does not answer", command[0]));
    }
    const ssize_t got = ::read(read_end.get(), piece.data(), piece.size());
    if (got <= 0) break;
    if (output.text.size() < kMostOutput) {
      output.text.append(piece.data(), static_cast<std::size_t>(got));
    }
  }
  TRY(output.code, wait_end(pid, command[0]));
  return output;
}

Result<int> stream_program(const std::vector<std::string>& command,
                           const std::function<Result<>(std::string_view)>& take) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return io_error("making a pipe for", command[0], errno);
  UniqueFd read_end(ends[0]);
  UniqueFd write_end(ends[1]);
  TRY(const pid_t pid, spawn_into(command, write_end.get(), false));
  write_end.reset();
  std::vector<char> piece(1 << 18);
  Result<> taken = Ok();
  while (taken) {
    const ssize_t got = ::read(read_end.get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) taken = io_error("reading from", command[0], errno);
    if (got <= 0) break;
    taken = take({piece.data(), static_cast<std::size_t>(got)});
  }
  read_end.reset();  // who writes on hears that nobody reads
  if (!taken) ::kill(pid, SIGTERM);
  auto code = wait_end(pid, command[0]);
  if (!taken) return taken.error();
  return code;
}

std::string find_program(const std::string& name, const std::string& path) {
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find(':', at), path.size());
    const std::string file = path.substr(at, end - at) + "/" + name;
    if (end > at && ::access(file.c_str(), X_OK) == 0) return file;
    at = end + 1;
  }
  return "";
}

Result<int> run_program(const std::vector<std::string>& command) {
  std::vector<std::string> words = command;
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t pid = 0;
  const int failed = posix_spawnp(&pid, arguments[0], nullptr, nullptr, arguments.data(), environ);
  if (failed != 0) return io_error("starting", command[0], failed);
  return wait_end(pid, command[0]);
}

}  // namespace trainyard::cli
