#include "shim/inner.h"

#include "shim/container.h"
#include "shim/exit_report.h"
#include "shim/log_writer.h"
#include "shim/loopback.h"
#include "shim/mounts.h"
#include "shim/stamp.h"
#include "shim/supervisor.h"

#include <malloc.h>

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

MaybeFailure open_files(int dir, const Spec& spec, Files& files) {
  files.null = Fd(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!files.null.valid()) return errno_failure("/dev/null");
  for (int fd = 0; fd <= 2; ++fd) {
    if (::dup2(files.null.get(), fd) < 0) return errno_failure("/dev/null");
  }
  files.log = Fd(::openat(dir, "log", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (!files.log.valid()) return errno_failure("file log");
  reserve_file(dir, "exit", kExitReportLimit);
  return files.cgroups.open(spec);
}

/// Some file systems have no sockets: the container runs there all the same.
Fd open_control(int dir, std::vector<std::string>& notes) {
  Fd control = listen_for_requests(dir);
  if (!control.valid()) notes.push_back(errno_failure("control: no exec, no attach").message);
  (void)::chdir("/");
  return control;
}

MaybeFailure isolate(const Spec& spec, std::vector<std::string>& notes) {
  if (!spec.namespaces) {
    if (!spec.hostname.empty()) notes.emplace_back("hostname: the host's, without namespaces");
    if (::prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) return errno_failure("subreaper");
    return std::nullopt;
  }
  if (!spec.hostname.empty() && ::sethostname(spec.hostname.data(), spec.hostname.size()) != 0) {
    return errno_failure("hostname " + spec.hostname);
  }
  if (spec.own_network) {
    if (auto failure = raise_loopback()) return failure;
  }
  return set_up_mounts(spec, notes);
}

MaybeFailure prepare(int dir, const Spec& spec, Files& files, Container& container) {
  if (auto failure = open_files(dir, spec, files)) return failure;
  if (spec.tty) {
    if (auto failure = open_terminal(container)) return failure;
  }
  std::vector<std::string> notes;
  files.control = open_control(dir, notes);
  auto failure = isolate(spec, notes);
  for (const std::string& note : notes) (void)append_line(dir, "notes", note);
  if (failure) return failure;
  return start_container(spec, files.cgroups, files.null, container);
}

}  // namespace

void run_inner(int dir, Spec spec) {
  ::setsid();
  // A container of the same user must not reach DIR through this process's /proc files.
  ::prctl(PR_SET_DUMPABLE, 0);
  Files files;
  Container container;
  if (auto failure = prepare(dir, spec, files, container)) {
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
