#include "shim/process/cgroups.h"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/sched.h>
#include <signal.h>
#include <string>
#include <string_view>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

namespace trainyard::shim {
namespace {

/// The file that takes whoever is to enter. Version 1 has one for a single thread, which is all
/// that a process has that is about to become a program; for a whole process the kernel first waits
/// until nobody forks, which takes ten milliseconds on a busy machine.
Fd open_entrance(const std::string& group) {
  Fd tasks(::open((group + "/tasks").c_str(), O_WRONLY | O_CLOEXEC));
  if (tasks.valid() || errno != ENOENT) return tasks;
  return Fd(::open((group + "/cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC));
}

Fd open_version_2(const std::string& group) {
  Fd folder(::open(group.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  struct statfs kind{};
  bool is_one =
      folder.valid() && ::fstatfs(folder.get(), &kind) == 0 && kind.f_type == CGROUP2_SUPER_MAGIC;
  return is_one ? std::move(folder) : Fd();
}

}  // namespace

MaybeFailure Cgroups::open(const Spec& spec) {
  for (const std::string& group : spec.cgroups) {
    groups_.push_back(open_entrance(group));
    if (!groups_.back().valid()) return errno_failure("the container's cgroup " + group);
  }
  if (spec.cgroups.size() == 1) folder_ = open_version_2(spec.cgroups.front());
  if (spec.oom_file.empty()) return std::nullopt;
  oom_ = Fd(::open(spec.oom_file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!oom_.valid()) return errno_failure("the container's cgroup: " + spec.oom_file);
  return std::nullopt;
}

pid_t Cgroups::fork_into(bool& inside) const {
  inside = false;
  if (!folder_.valid()) return ::fork();
  clone_args how{};
  how.flags = CLONE_INTO_CGROUP;
  how.exit_signal = SIGCHLD;
  how.cgroup = static_cast<std::uint64_t>(folder_.get());
  auto pid = static_cast<pid_t>(::syscall(SYS_clone3, &how, sizeof how));
  if (pid < 0) return ::fork();  // the kernel, or a filter of system calls, does not know it
  inside = true;
  return pid;
}

MaybeFailure Cgroups::enter() const {
  for (const Fd& group : groups_) {
    // 0 is "whoever writes", in every PID namespace.
    if (!write_all(group.get(), "0")) return errno_failure("the container's cgroup");
  }
  return std::nullopt;
}

bool Cgroups::ran_out_of_memory() const {
  std::array<char, 1024> buffer;
  ssize_t count = oom_.valid() ? ::pread(oom_.get(), buffer.data(), buffer.size(), 0) : 0;
  if (count <= 0) return false;
  // One `name value` a line, in memory.events (v2) and memory.oom_control (v1) alike.
  std::string_view text(buffer.data(), static_cast<std::size_t>(count));
  constexpr std::string_view kKey = "oom_kill ";
  for (std::size_t at = 0; at < text.size();) {
    std::string_view line = text.substr(at, text.find('\n', at) - at);
    if (line.starts_with(kKey)) return line.substr(kKey.size()) != "0";
    at += line.size() + 1;
  }
  return false;
}

}  // namespace trainyard::shim
