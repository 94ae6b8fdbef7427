#include "node/container_run.h"

#include "base/files.h"
#include "base/log.h"
#include "base/unique_fd.h"
#include "node/run_spec.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>
#include <spawn.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sstream>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace trainyard::node {
namespace {

namespace asio = boost::asio;
constexpr int kLockFd = 3;  // where the shim expects its lock

std::string boot_id() {
  static const std::string id = [] {
    std::string text = read_file("/proc/sys/kernel/random/boot_id").value_or("");
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return text;
  }();
  return id;
}

/// `pid`: process, start time in ticks, boot id.
struct ShimId {
  int pid = 0;
  std::string start_ticks;
  std::string boot;
};

std::optional<ShimId> read_shim_id(const std::filesystem::path& folder) {
  const auto text = read_file(folder / "pid");
  if (!text) return std::nullopt;
  ShimId id;
  std::istringstream stream(*text);
  stream >> id.pid >> id.start_ticks >> id.boot;
  return stream.fail() ? std::nullopt : std::optional(id);
}

/// Field 22 of /proc/PID/stat; the name in field 2 may contain blanks and parentheses.
std::string start_ticks(int pid) {
  const auto text = read_file(fmt::format("/proc/{}/stat", pid));
  if (!text) return {};
  const std::size_t close = text->rfind(')');
  if (close == std::string::npos) return {};
  std::istringstream rest(text->substr(close + 1));
  std::string field;
  for (int i = 3; i <= 22; ++i) rest >> field;
  return field;
}

/// The `key=value` lines of an exit report.
std::string report_value(const std::string& report, std::string_view key) {
  std::istringstream lines(report);
  std::string line;
  while (std::getline(lines, line)) {
    if (line.starts_with(key) && line.size() > key.size() && line[key.size()] == '=') {
      return line.substr(key.size() + 1);
    }
  }
  return {};
}

std::int64_t to_number(const std::string& text) {
  return text.empty() ? 0 : std::strtoll(text.c_str(), nullptr, 10);
}

void read_exit(const std::string& report, RunState& state) {
  state.phase = RunState::Phase::kEnded;
  state.exit_code = to_number(report_value(report, "code"));
  state.signal = to_number(report_value(report, "signal"));
  state.finished = report_value(report, "finished");
  state.message = report_value(report, "message");
  state.reason = report_value(report, "reason");
  if (state.reason.empty()) state.reason = state.exit_code == 0 ? "Completed" : "Error";
}

Result<> spawn_shim(const std::filesystem::path& shim, const std::filesystem::path& folder,
                    int lock) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, lock, kLockFd);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  // The server ignores SIGCHLD so that its shims need no reaping; the shim must not inherit that.
  sigset_t defaults;
  sigemptyset(&defaults);
  for (const int number : {SIGCHLD, SIGPIPE, SIGTERM, SIGINT, SIGHUP}) sigaddset(&defaults, number);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  std::string program = shim.string();
  std::string argument = folder.string();
  char* arguments[] = {program.data(), argument.data(), nullptr};
  char* no_environment[] = {nullptr};
  pid_t pid = 0;
  const int failed =
      posix_spawn(&pid, program.c_str(), &actions, &attributes, arguments, no_environment);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return io_error("starting", shim, failed);
  return Ok();
}

Result<> prepare_source(const Mount& mount) {
  if (mount.make_source && !std::filesystem::exists(mount.source)) {
    TRY_OK(make_folders(mount.source, 0755));
    if (::chmod(mount.source.c_str(), 01777) != 0) {
      return io_error("opening up", mount.source, errno);
    }
  }
  if (mount.volume.empty()) return Ok();
  // A link inside the volume may lead out of it.
  std::error_code failed;
  const auto root = std::filesystem::canonical(mount.volume, failed);
  const auto source = std::filesystem::weakly_canonical(mount.source, failed);
  const auto [end, rest] = std::mismatch(root.begin(), root.end(), source.begin(), source.end());
  if (!failed && end == root.end()) return Ok();
  return Error(Code::kInvalid, fmt::format("the subPath {} leads out of its volume", mount.source));
}

awaitable<void> wait_readable(asio::posix::stream_descriptor& descriptor) {
  co_await descriptor.async_wait(asio::posix::stream_descriptor::wait_read,
                                 asio::as_tuple(asio::use_awaitable));
}

awaitable<void> wait_for_files(asio::posix::stream_descriptor& files, Clock& clock) {
  if (files.is_open()) {
    co_await wait_readable(files);
  } else {
    co_await clock.sleep_for(std::chrono::seconds(1));
  }
}

void drain(asio::posix::stream_descriptor& descriptor) {
  char buffer[4096];
  while (::read(descriptor.native_handle(), buffer, sizeof buffer) > 0) {
  }
}

}  // namespace

int last_run(const std::filesystem::path& container_folder) {
  int last = 0;
  std::error_code failed;
  while (std::filesystem::exists(container_folder / std::to_string(last + 1) / "spec", failed)) {
    ++last;
  }
  return last;
}

ContainerRun::ContainerRun(Executor loop, Clock& clock, std::filesystem::path folder,
                           std::filesystem::path shim)
    : loop_(std::move(loop)), clock_(clock), folder_(std::move(folder)), shim_(std::move(shim)) {}

bool ContainerRun::shim_lives() const {
  const UniqueFd lock(::open((folder_ / "lock").c_str(), O_RDWR | O_CLOEXEC));
  return lock.valid() && ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0;
}

std::optional<int> ContainerRun::shim_pid() const {
  const auto id = read_shim_id(folder_);
  if (!id || id->boot != boot_id() || start_ticks(id->pid) != id->start_ticks) return std::nullopt;
  return id->pid;
}

RunState ContainerRun::state() const {
  RunState state;
  const auto spec = read_file(folder_ / "spec");
  if (!spec) return state;
  // Whether the shim lives is asked before the report is read: it writes the report, then dies.
  const bool lives = shim_lives();
  if (auto started = read_file(folder_ / "started")) {
    state.started = started->substr(0, started->find('\n'));
  }
  if (const auto report = read_file(folder_ / "exit")) {
    read_exit(*report, state);
    return state;
  }
  if (lives) {
    state.phase = state.started.empty() ? RunState::Phase::kStarting : RunState::Phase::kRunning;
    return state;
  }
  const auto id = read_shim_id(folder_);
  if (!id) return state;  // prepared, and never started: it may be started now
  state.phase = RunState::Phase::kEnded;
  state.exit_code = 137;
  state.signal = SIGKILL;
  if (id->boot != boot_id()) {
    state.reason = "NodeRebooted";
    state.message = "the machine was restarted while the container ran";
  } else {
    state.reason = "Lost";
    state.message = "the container and its supervisor were killed from outside";
  }
  return state;
}

Result<> ContainerRun::start(const RunSpec& spec) const {
  TRY_OK(make_folders(folder_, 0700));
  for (const char* layer : {"upper", "work", "root"}) {
    TRY_OK(make_folders(spec.overlay / layer, 0755));
  }
  TRY(const std::string text, encode_run_spec(spec));
  for (const Mount& mount : spec.mounts) TRY_OK(prepare_source(mount));
  // Locked here and inherited by the shim: from now on "locked" means "a shim is on its way".
  const UniqueFd lock(::open((folder_ / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!lock.valid()) return io_error("creating", folder_ / "lock", errno);
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) return Ok();
  TRY_OK(write_file(folder_ / "spec", text, 0600));
  // posix_spawn clears CLOEXEC on the copy that dup2 makes, unless source and target are equal.
  UniqueFd passed(::fcntl(lock.get(), F_DUPFD_CLOEXEC, kLockFd + 1));
  return spawn_shim(shim_, folder_, passed.get());
}

bool ContainerRun::stop(std::int64_t grace_seconds) const {
  // The shim reads the grace period when the signal arrives.
  if (auto written = write_file(folder_ / "grace", std::to_string(grace_seconds), 0600); !written) {
    log_warn("grace period not written", {{"cause", written.error().message()}});
  }
  const auto pid = shim_pid();
  return pid && ::kill(*pid, SIGTERM) == 0;
}

awaitable<void> ContainerRun::follow(std::function<void()> on_change) const {
  using namespace asio::experimental::awaitable_operators;
  // The shim's files appear by rename. Where the kernel gives no more watchers
  // (fs.inotify.max_user_instances), a look each second has to do.
  asio::posix::stream_descriptor files(loop_);
  if (const int inotify = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC); inotify >= 0) {
    files.assign(inotify);
    ::inotify_add_watch(inotify, folder_.c_str(), IN_MOVED_TO);
  }
  asio::posix::stream_descriptor process(loop_);
  while (true) {
    on_change();
    const RunState::Phase phase = state().phase;
    if (phase == RunState::Phase::kEnded || phase == RunState::Phase::kAbsent) co_return;
    if (!process.is_open()) {
      if (const auto pid = shim_pid()) {
        const auto pidfd = static_cast<int>(::syscall(SYS_pidfd_open, *pid, 0));
        if (pidfd >= 0) process.assign(pidfd);
        // Whatever happened between looking and following has been missed: look once more.
        continue;
      }
      // Until the shim has said who it is, its death can only be seen by its lock.
      co_await (wait_for_files(files, clock_) || clock_.sleep_for(std::chrono::seconds(2)));
    } else {
      co_await (wait_for_files(files, clock_) || wait_readable(process));
    }
    if (files.is_open()) drain(files);
  }
}

}  // namespace trainyard::node
