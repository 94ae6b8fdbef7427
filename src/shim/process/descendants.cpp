#include "shim/process/descendants.h"

#include "shim/files.h"
#include "shim/process/process_stat.h"
#include "shim/spec.h"

#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <optional>
#include <signal.h>
#include <string>
#include <sys/syscall.h>
#include <unistd.h>
#include <unordered_map>
#include <vector>

namespace trainyard::shim {
namespace {

using Children = std::unordered_map<pid_t, std::vector<pid_t>>;

std::optional<pid_t> read_parent(int proc, const char* pid) {
  auto stat = read_file(proc, (std::string(pid) + "/stat").c_str());
  auto parent = stat ? stat_field(*stat, kStatParent) : std::nullopt;
  return parent ? std::optional(static_cast<pid_t>(*parent)) : std::nullopt;
}

/// Calls `visit` with the name of each folder of a process in /proc, which is open as its argument.
template <class Visit>
void for_each_process(Visit visit) {
  std::unique_ptr<DIR, int (*)(DIR*)> proc(::opendir("/proc"), ::closedir);
  if (!proc) return;
  while (const dirent* entry = ::readdir(proc.get())) {
    auto pid = parse_number(entry->d_name);
    if (pid) visit(::dirfd(proc.get()), static_cast<pid_t>(*pid), entry->d_name);
  }
}

/// All processes by their parent. Not /proc/PID/task/TID/children: some kernels lack it.
Children read_children() {
  Children children;
  for_each_process([&](int proc, pid_t pid, const char* name) {
    auto parent = read_parent(proc, name);
    if (parent) children[*parent].push_back(pid);
  });
  return children;
}

/// The pid may have passed to a stranger since it was read: the pidfd holds on to whoever has it
/// now, and only a child of the same parent, or of ours by adoption, is killed.
void kill_child(pid_t child, pid_t parent) {
  Fd handle(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
  if (!handle.valid()) return;
  auto current = read_parent(AT_FDCWD, ("/proc/" + std::to_string(child)).c_str());
  if (!current || (*current != parent && *current != ::getpid())) return;
  (void)::syscall(SYS_pidfd_send_signal, handle.get(), SIGKILL, nullptr, 0);
}

/// In a PID namespace whose own /proc could not be mounted, the pids of /proc are the host's.
bool proc_is_ours() {
  char own[32];
  ssize_t size = ::readlink("/proc/self", own, sizeof own);
  if (size <= 0) return false;
  return parse_number({own, static_cast<std::size_t>(size)}) ==
         static_cast<std::uint64_t>(::getpid());
}

/// Kills the members that it finds; false when there were none.
bool kill_members(pid_t leader) {
  bool found = false;
  for_each_process([&](int proc, pid_t pid, const char* name) {
    auto stat = read_file(proc, (std::string(name) + "/stat").c_str());
    if (!stat || stat_field(*stat, kStatSession) != static_cast<std::uint64_t>(leader)) return;
    if (stat->find(") Z ") != stat->npos) return;  // ended already
    // Nobody else in this namespace can have become of it meanwhile: its session still has members.
    found = ::kill(pid, SIGKILL) == 0 || found;
  });
  return found;
}

}  // namespace

void kill_namespace() {
  ::kill(-1, SIGKILL);
}

void kill_descendants() {
  Children children = read_children();
  std::vector<pid_t> to_visit = {::getpid()};
  while (!to_visit.empty()) {
    pid_t parent = to_visit.back();
    to_visit.pop_back();
    for (pid_t child : children[parent]) {
      kill_child(child, parent);
      to_visit.push_back(child);
    }
  }
}

void kill_session(pid_t leader) {
  ::kill(-leader, SIGKILL);
  if (!proc_is_ours()) return;
  // A process that forks while the others are counted can escape one round.
  constexpr int kRounds = 8;
  for (int round = 0; round < kRounds && kill_members(leader); ++round) {
  }
}

}  // namespace trainyard::shim
