#include "shim/descendants.h"

#include "shim/files.h"
#include "shim/process_stat.h"
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

/// All processes by their parent. Not /proc/PID/task/TID/children: some kernels lack it.
Children read_children() {
  Children children;
  std::unique_ptr<DIR, int (*)(DIR*)> proc(::opendir("/proc"), ::closedir);
  if (!proc) return children;
  while (const dirent* entry = ::readdir(proc.get())) {
    auto pid = parse_number(entry->d_name);
    if (!pid) continue;
    auto parent = read_parent(::dirfd(proc.get()), entry->d_name);
    if (parent) children[*parent].push_back(static_cast<pid_t>(*pid));
  }
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

}  // namespace trainyard::shim
