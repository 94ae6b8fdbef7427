#include "shim/process/inner.h"

#include "shim/log/log_writer.h"
#include "shim/process/container.h"
#include "shim/process/exit_report.h"
#include "shim/process/supervisor.h"
#include "shim/root/loopback.h"
#include "shim/root/mounts.h"
#include "shim/stamp.h"

#include <malloc.h>

#include <cerrno>
#include <fcntl.h>
#include <string>
#include <sys/prctl.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace trainyard::shim {
namespace {

/// What has to be open before the mounts change.
struct Files {
  Fd null;
  Fd log;
  Cgroups cgroups;
  Fd control;
};

MaybeFailure open_files(int dir, Files& files) {
  files.null = Fd(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!files.null.valid()) return errno_failure("/dev/null");
  for (int fd = 0; fd <= 2; ++fd) {
    if (::dup2(files.null.get(), fd) < 0) return errno_failure("/dev/null");
  }
  files.log = Fd(::openat(dir, "log", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (!files.log.valid()) return errno_failure("file log");
  if (!reserve_file(dir, "exit", kExitReportLimit)) {
    return errno_failure("there is no room to note how the container ends; make some");
  }
  return std::nullopt;
}

/// Some file systems have no sockets: the container runs there all the same.
Fd open_control(int dir, std::vector<std::string>& notes) {
  Fd control = listen_for_requests(dir);
  if (!control.valid()) notes.push_back(errno_failure("control: no exec, no attach").message);
  (void)::chdir("/");
  return control;
}

/// What can be done before it is known what will run.
MaybeFailure isolate(const Spec& spec, Mounts& mounts, std::vector<std::string>& notes) {
  if (!spec.namespaces) {
    if (::prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) return errno_failure("subreaper");
    return std::nullopt;
  }
  if (spec.own_network) {
    if (auto failure = raise_loopback()) return failure;
  }
  return mounts.prepare(spec, notes);
}

/// Nothing has been, and nothing shall look as if it had.
[[noreturn]] void vanish(int dir) {
  (void)::unlinkat(dir, "base", 0);
  (void)::unlinkat(dir, "pid", 0);
  ::_exit(0);
}

/// Waits for the server's word, and reads what it is about. The root stays the one that was made.
MaybeFailure await_spec(int dir, const Fd& go, Spec& spec) {
  char byte = 0;
  ssize_t got = 0;
  do {
    got = ::read(go.get(), &byte, 1);
  } while (got < 0 && errno == EINTR);
  if (got != 1) vanish(dir);
  auto bytes = read_file(dir, "spec");
  if (!bytes) return errno_failure("file spec");
  Spec told;
  if (auto failure = parse_spec(*bytes, told)) return failure;
  if (told.masks != spec.masks || told.own_devices != spec.own_devices || told.own_network ||
      told.read_only_root || !told.namespaces || !told.root || !told.root->is_over_host()) {
    return Failure{"the spec asks for another kind of container than the one that was prepared"};
  }
  told.root = spec.root;
  spec = std::move(told);
  return std::nullopt;
}

/// What the host's paths are needed for.
MaybeFailure open_from_host(const Spec& spec, Files& files, Mounts& mounts, Container& container) {
  if (spec.tty) {
    if (auto failure = open_terminal(container)) return failure;
  }
  if (auto failure = files.cgroups.open(spec)) return failure;
  return spec.namespaces ? mounts.open_volumes(spec) : std::nullopt;
}

MaybeFailure finish(const Spec& spec, Files& files, Mounts& mounts, Container& container,
                    std::vector<std::string>& notes) {
  if (auto failure = mounts.visit_host()) return failure;
  if (auto failure = open_from_host(spec, files, mounts, container)) return failure;
  if (auto failure = mounts.leave_host()) return failure;
  if (!spec.namespaces) {
    if (!spec.hostname.empty()) notes.emplace_back("hostname: the host's, without namespaces");
    return std::nullopt;
  }
  if (!spec.hostname.empty() && ::sethostname(spec.hostname.data(), spec.hostname.size()) != 0) {
    return errno_failure("hostname " + spec.hostname);
  }
  return mounts.attach_volumes(spec);
}

MaybeFailure prepare(int dir, Spec& spec, Fd go, Files& files, Container& container) {
  if (auto failure = open_files(dir, files)) return failure;
  std::vector<std::string> notes;
  files.control = open_control(dir, notes);
  Mounts mounts;
  auto failure = isolate(spec, mounts, notes);
  if (go.valid()) {
    // Nobody is there yet to be told: the server finds it gone, and starts one that can tell.
    if (failure || !mounts.has_private_root()) vanish(dir);
    (void)::unlinkat(dir, "base", 0);
    failure = await_spec(dir, go, spec);
    go.reset();
  }
  if (!failure) failure = finish(spec, files, mounts, container, notes);
  for (const std::string& note : notes) (void)append_line(dir, "notes", note);
  if (failure) return failure;
  return start_container(spec, files.cgroups, files.null, container);
}

}  // namespace

void run_inner(int dir, Spec spec, Fd go) {
  ::setsid();
  // A container of the same user must not reach DIR through this process's /proc files.
  ::prctl(PR_SET_DUMPABLE, 0);
  Files files;
  Container container;
  if (auto failure = prepare(dir, spec, std::move(go), files, container)) {
    write_report(dir, report_of_failure(*failure, wall_now()));
    ::_exit(0);
  }
  Supervisor::Options options{dir, spec.namespaces, spec.grace_seconds};
  Sessions sessions(dir, std::move(files.control), std::move(container.in), spec.input,
                    files.cgroups);
  LogSegments log(dir, std::move(files.log), spec.log);
  std::string memory_limit = std::move(spec.memory_limit);
  // The environment of a job can be large, and the shim stays for days.
  spec = Spec();
  ::malloc_trim(0);
  Supervisor supervisor(options, std::move(container), LogWriter(std::move(log)),
                        std::move(sessions));
  ExitReport report = supervisor.run();
  if (files.cgroups.ran_out_of_memory()) blame_memory(report, memory_limit);
  write_report(dir, report);
  ::_exit(0);
}

}  // namespace trainyard::shim
