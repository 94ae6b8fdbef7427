#include "cli/command/server_process.h"

#include "base/files/files.h"
#include "base/files/folder_entries.h"
#include "base/files/unique_fd.h"
#include "cli/command/up_words.h"
#include "object/json/json.h"

#include <fmt/format.h>
#include <spawn.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

extern char** environ;  // NOLINT(readability-redundant-declaration)

namespace trainyard::cli {
namespace {

constexpr int kStopTimeoutMs = 30'000;

bool is_locked(const std::filesystem::path& data_dir) {
  const UniqueFd lock(::open((data_dir / "lock").c_str(), O_RDWR | O_CLOEXEC));
  return lock.valid() && ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0;
}

/// A server that was killed holds its lock for some milliseconds more, until the kernel has ended
/// its last thread.
bool lock_patiently(int fd) {
  constexpr int kTries = 50;
  for (int i = 0; i < kTries; ++i) {
    if (::flock(fd, LOCK_EX | LOCK_NB) == 0) return true;
    ::usleep(10'000);
  }
  return false;
}

/// Whether the process is there and not merely waiting to be buried.
bool is_alive(int pid) {
  const auto stat = read_file(fmt::format("/proc/{}/stat", pid));
  if (!stat) return false;
  const std::size_t name_end = stat->rfind(')');
  return name_end != std::string::npos && stat->substr(name_end + 1, 2) != " Z";
}

/// Where a server has the lock and is not found.
std::string untold(const std::filesystem::path& data_dir) {
  return fmt::format(
      "a server uses {} already, and has not written server.json there yet: it is starting, or the "
      "disk is full",
      data_dir.string());
}

/// In the place that the file has: takes no room. Who reads meanwhile may see half of it.
bool overwrite(const std::filesystem::path& file, std::string_view text) {
  const UniqueFd fd(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
  return fd.valid() &&
         ::pwrite(fd.get(), text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()) &&
         ::ftruncate(fd.get(), static_cast<off_t>(text.size())) == 0;
}

/// Nothing: it is no such text.
std::optional<ServerInfo> read_info(const std::string& text) {
  const auto json = parse_json(text);
  if (!json) return std::nullopt;
  ServerInfo info;
  info.pid = static_cast<int>(int_at(*json, "pid"));
  info.api_url = string_at(*json, "api");
  info.console_url = string_at(*json, "console");
  info.apps_url = string_at(*json, "apps");
  info.pods_path = string_at(*json, "podsPath");
  return info;
}

std::string read_to_end(int fd) {
  std::string text;
  std::array<char, 4096> buffer{};
  while (true) {
    const ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

/// The last lines of a log, for who must find out why something failed.
std::string last_lines(const std::filesystem::path& file, std::size_t count) {
  const std::string text = read_file(file).value_or("");
  std::size_t start = text.size();
  for (std::size_t found = 0; start > 0; --start) {
    if (text[start - 1] == '\n' && start < text.size() && ++found == count) break;
  }
  return text.substr(start);
}

Result<pid_t> spawn_self(const UpOptions& options, int log, int ready) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, log, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, log, STDERR_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ready, 9);
  posix_spawn_file_actions_addchdir_np(&actions, "/");
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  std::vector<std::string> words{"trainyard", "up", "--ready-fd", "9"};
  for (std::string& word : up_words(options)) words.push_back(std::move(word));
  for (const auto& [name, value] : secret_variables(options)) {
    ::setenv(name.c_str(), value.c_str(), 1);
  }
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  // Trees of small pieces come and go: the allocator shall keep more than its seven of each size at
  // hand. It asks for that only when a process starts.
  ::setenv("GLIBC_TUNABLES", "glibc.malloc.tcache_count=1000", 0);
  pid_t pid = 0;
  const int failed =
      posix_spawn(&pid, "/proc/self/exe", &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return io_error("starting", "/proc/self/exe", failed);
  return pid;
}

}  // namespace

std::filesystem::path default_data_dir() {
  if (const char* given = std::getenv("TRAINYARD_DATA_DIR"); given != nullptr && *given != '\0') {
    return from_root(given);
  }
  const char* home = std::getenv("HOME");
  return std::filesystem::path(home != nullptr ? home : "/root") / ".trainyard";
}

std::string text_of(const ServerInfo& info) {
  const Json json{{"pid", info.pid},
                  {"api", info.api_url},
                  {"console", info.console_url},
                  {"apps", info.apps_url},
                  {"podsPath", info.pods_path}};
  return to_text(json) + "\n";
}

std::optional<ServerInfo> read_server_info(const std::filesystem::path& data_dir) {
  const auto text = read_file(data_dir / "server.json");
  return text ? read_info(*text) : std::nullopt;
}

std::optional<ServerInfo> find_server(const std::filesystem::path& data_dir) {
  if (!is_locked(data_dir)) return std::nullopt;
  std::optional<ServerInfo> info = read_server_info(data_dir);
  if (!info || !is_alive(info->pid)) return std::nullopt;
  return info;
}

Result<int> lock_data_dir(const std::filesystem::path& data_dir) {
  TRY_OK(make_folders(data_dir, 0700));
  UniqueFd lock(::open((data_dir / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!lock.valid()) return io_error("opening", data_dir / "lock", errno);
  if (!lock_patiently(lock.get())) {
    const auto other = find_server(data_dir);
    if (!other) return Error(Code::kAlreadyExists, untold(data_dir));
    return Error(Code::kAlreadyExists,
                 fmt::format("a server (process {}) uses {} already: stop it with `trainyard "
                             "down`, or choose another folder with --data-dir",
                             other->pid, data_dir.string()));
  }
  return lock.release();
}

Result<> write_server_info(const std::filesystem::path& data_dir, const ServerInfo& info) {
  const std::filesystem::path file = data_dir / "server.json";
  const std::string text = text_of(info);
  Result<> written = write_file(file, text, 0600);
  if (written || overwrite(file, text)) return Ok();
  return written;
}

void clear_server_info(const std::filesystem::path& data_dir) {
  (void)overwrite(data_dir / "server.json", "{}\n");
}

Result<ServerInfo> start_server(const UpOptions& options) {
  TRY_OK(make_folders(options.data_dir, 0700));
  const std::filesystem::path log_path = options.data_dir / "server.log";
  const UniqueFd log(::open(log_path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!log.valid()) return io_error("opening", log_path, errno);
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return io_error("making a pipe for", log_path, errno);
  const UniqueFd read_end(ends[0]);
  UniqueFd write_end(ends[1]);
  TRY(const pid_t pid, spawn_self(options, log.get(), write_end.get()));
  write_end.reset();
  // By the pipe: on a full disk there may be no server.json.
  if (auto info = read_info(read_to_end(read_end.get()))) return *std::move(info);
  int status = 0;
  ::waitpid(pid, &status, 0);
  return Error(Code::kUnavailable,
               fmt::format("the server did not start; its log ({}) ends with:\n{}",
                           log_path.string(), last_lines(log_path, 5)));
}

Result<> stop_server(const std::filesystem::path& data_dir, bool with_pods) {
  const auto server = find_server(data_dir);
  if (!server) {
    return Error(Code::kNotFound, is_locked(data_dir)
                                      ? untold(data_dir)
                                      : fmt::format("no server runs on {}", data_dir.string()));
  }
  const UniqueFd process(static_cast<int>(::syscall(SYS_pidfd_open, server->pid, 0)));
  if (!process.valid() || ::kill(server->pid, with_pods ? SIGUSR1 : SIGTERM) != 0) {
    return io_error("stopping the server", std::to_string(server->pid), errno);
  }
  struct pollfd ended{process.get(), POLLIN, 0};
  // Pods may take as long to end as they were promised.
  if (::poll(&ended, 1, with_pods ? -1 : kStopTimeoutMs) == 1) return Ok();
  return Error(Code::kTimeout, fmt::format("the server (process {}) has not ended after {} s",
                                           server->pid, kStopTimeoutMs / 1000));
}

}  // namespace trainyard::cli
