#include "shim/process/launch.h"

#include "shim/failure.h"
#include "shim/files.h"
#include "shim/process/exit_report.h"
#include "shim/process/inner.h"
#include "shim/process/process_stat.h"
#include "shim/root/namespaces.h"
#include "shim/spec.h"
#include "shim/stamp.h"

#include <fcntl.h>
#include <signal.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace trainyard::shim {
namespace {

/// For the server at once (stderr, exit code), and for one that comes later (DIR/exit).
int give_up(int dir, const Failure& failure) {
  (void)write_all(STDERR_FILENO, "trainyard-shim: " + failure.message + "\n");
  if (dir >= 0) write_report(dir, report_of_failure(failure, wall_now()));
  return 1;
}

// What is spoken in DIR, for servers of other versions: a shim lives as long as its container,
// which a server that is upgraded takes over. Raised when a server must treat a shim in another
// way.
#ifndef TRAINYARD_SHIM_PROTOCOL
#define TRAINYARD_SHIM_PROTOCOL 2
#endif

/// `<pid> <start time> <boot id> <protocol>`: who the shim is, safe from reused pids and reboots.
/// Those of protocol 1 did not say so.
MaybeFailure write_pid(int dir, pid_t pid) {
  std::string number = std::to_string(pid);
  auto stat = read_file(AT_FDCWD, ("/proc/" + number + "/stat").c_str());
  auto start = stat ? stat_field(*stat, kStatStartTime) : std::nullopt;
  auto boot = read_file(AT_FDCWD, "/proc/sys/kernel/random/boot_id");
  if (!start || !boot) return errno_failure("the start time of the shim cannot be read from /proc");
  std::string text = number + " " + std::to_string(*start) + " " + *boot;
  if (text.back() == '\n') text.pop_back();
  if (TRAINYARD_SHIM_PROTOCOL > 1) text += " " + std::to_string(TRAINYARD_SHIM_PROTOCOL);
  text += '\n';
  if (!replace_file(dir, "pid", text, Sync::kNo)) return errno_failure("file pid");
  return std::nullopt;
}

MaybeFailure launch_in(int dir, Fd go) {
  const char* known = go.valid() ? "base" : "spec";
  auto bytes = read_file(dir, known);
  if (!bytes) return errno_failure(std::string("file ") + known);
  Spec spec;
  if (auto failure = go.valid() ? parse_base(*bytes, spec) : parse_spec(*bytes, spec)) {
    return failure;
  }
  // The child waits at this pipe: it does nothing before the file pid says who it is, and if this
  // process dies before that, it ends too.
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return errno_failure("pipe");
  Fd wait_end(ends[0]);
  Fd pid_end(ends[1]);
  if (spec.namespaces) {
    if (auto failure = make_namespaces(spec)) return failure;
  }
  pid_t child = ::fork();
  if (child < 0) return errno_failure("cannot fork (is a process limit reached?)");
  if (child == 0) {
    pid_end.reset();
    char byte = 0;
    if (::read(wait_end.get(), &byte, 1) != 1) ::_exit(1);
    run_inner(dir, std::move(spec), std::move(go));
  }
  MaybeFailure failure = write_pid(dir, child);
  if (!failure && !write_all(pid_end.get(), "g")) failure = errno_failure("the shim ended early");
  if (failure) {
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    (void)::unlinkat(dir, "pid", 0);
    (void)::unlinkat(dir, ".pid.tmp", 0);
  }
  return failure;
}

}  // namespace

int launch(const char* path, Fd go) {
  Fd dir(::open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!dir.valid()) return give_up(-1, errno_failure(std::string("folder ") + path));
  if (auto failure = launch_in(dir.get(), std::move(go))) return give_up(dir.get(), *failure);
  return 0;
}

}  // namespace trainyard::shim
