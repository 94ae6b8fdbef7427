#include "node/run/container_run.h"

#include "base/files/files.h"
#include "base/files/folder_entries.h"
#include "base/files/unique_fd.h"
#include "base/log.h"
#include "node/run/run_spec.h"
#include "node/run/shim_process.h"
#include "node/run/shim_report.h"
#include "node/volumes/volume_sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <fcntl.h>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

namespace trainyard::node {
namespace {

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

std::int64_t to_number(std::string_view text) {
  return text.empty() ? 0 : std::strtoll(std::string(text).c_str(), nullptr, 10);
}

/// Runs are folders that are named by their number.
std::optional<int> run_number(const std::filesystem::path& folder) {
  const std::string name = folder.filename();
  int number = 0;
  const auto [end, failed] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (failed != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return number;
}

std::optional<WallTime> to_time(std::string_view text) {
  const auto time = parse_time(text);
  return time ? std::optional(*time) : std::nullopt;
}

void read_exit(const std::string& report, RunState& state) {
  state.phase = RunState::Phase::kEnded;
  state.exit_code = to_number(report_value(report, "code"));
  state.signal = to_number(report_value(report, "signal"));
  state.finished = to_time(report_value(report, "finished"));
  state.message = report_value(report, "message");
  state.reason = report_value(report, "reason");
  state.lost_bytes = to_number(report_value(report, "lost"));
  if (state.reason.empty()) state.reason = state.exit_code == 0 ? "Completed" : "Error";
  // Whatever kept it from running, in Kubernetes that is 128.
  if (state.reason == "StartError") state.exit_code = 128;
}

}  // namespace

Result<> make_termination_log(const std::filesystem::path& run_folder) {
  const std::filesystem::path file = run_folder / kTerminationLog;
  const UniqueFd made(::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
  if (!made.valid() || ::fchmod(made.get(), 0666) != 0) return io_error("creating", file, errno);
  return Ok();
}

namespace {

/// An empty file of the run's own, at the place where the container may write its last words.
Result<> add_termination_log(const std::filesystem::path& folder, RunSpec& spec) {
  if (spec.termination_log.empty()) return Ok();
  TRY_OK(make_termination_log(folder));
  Mount mount;
  mount.source = folder / kTerminationLog;
  mount.target = spec.termination_log;
  spec.mounts.push_back(std::move(mount));
  return Ok();
}

}  // namespace

Result<> make_layers(const std::filesystem::path& overlay) {
  for (const char* layer : {"upper", "work", "root"}) TRY_OK(make_folders(overlay / layer, 0755));
  return Ok();
}

int last_run(const std::filesystem::path& container_folder) {
  int last = 0;
  std::error_code failed;
  for (const auto& entry : FolderEntries(container_folder)) {
    const auto number = run_number(entry.path());
    if (number && *number > last && std::filesystem::exists(entry.path() / "spec", failed)) {
      last = *number;
    }
  }
  return last;
}

std::vector<std::filesystem::path> old_runs(const std::filesystem::path& container_folder,
                                            int number, int kept) {
  std::vector<std::filesystem::path> old;
  for (const auto& entry : FolderEntries(container_folder)) {
    const auto found = run_number(entry.path());
    if (found && *found < number - kept) old.push_back(entry.path());
  }
  return old;
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
  const bool lives = shim_lives_in(folder_);
  if (auto started = read_file(folder_ / "started")) {
    state.started = to_time(started->substr(0, started->find('\n')));
  }
  if (const auto report = read_file(folder_ / "exit")) {
    read_exit(*report, state);
    return state;
  }
  if (lives) {
    state.phase = state.started ? RunState::Phase::kRunning : RunState::Phase::kStarting;
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

Result<> ContainerRun::start(const RunSpec& spec, UniqueFd waiting) const {
  TRY_OK(make_folders(folder_, 0700));
  TRY_OK(make_layers(spec.overlay));
  RunSpec told = spec;
  TRY_OK(add_termination_log(folder_, told));
  TRY(const std::string text, encode_run_spec(told));
  for (const Mount& mount : spec.mounts) TRY_OK(prepare_source(mount, spec.identity.fs_group));
  if (waiting.valid()) {
    TRY_OK(write_file_unsynced(folder_ / "spec", text, 0600));
    if (::write(waiting.get(), "g", 1) != 1) return io_error("starting", folder_, errno);
    return Ok();
  }
  TRY(const UniqueFd lock, lock_for_shim(folder_));
  if (!lock.valid()) return Ok();
  TRY_OK(write_file_unsynced(folder_ / "spec", text, 0600));
  return spawn_shim(shim_, folder_, lock.get(), life_);
}

bool ContainerRun::stop(std::int64_t grace_seconds) const {
  // The shim reads the grace period when the signal arrives.
  if (auto written = write_file_unsynced(folder_ / "grace", std::to_string(grace_seconds), 0600);
      !written) {
    log_warn("grace period not written", {{"cause", written.error().message()}});
  }
  const auto pid = shim_pid();
  return pid && ::kill(*pid, SIGTERM) == 0;
}

}  // namespace trainyard::node
