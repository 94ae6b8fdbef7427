#include "shim/container.h"

#include "shim/credentials.h"
#include "shim/program.h"
#include "shim/signals.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace trainyard::shim {
namespace {

bool make_pipe(Fd& read_end, Fd& write_end) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return false;
  read_end = Fd(ends[0]);
  write_end = Fd(ends[1]);
  return true;
}

struct ChildEnds {
  Fd out;
  Fd err;
  Fd status;
};

MaybeFailure enter_cwd(const Spec& spec) {
  if (::chdir(spec.cwd.c_str()) == 0) return std::nullopt;
  if (errno == ENOENT) {
    return Failure{"workingDir " + spec.cwd + " does not exist in the container"};
  }
  return errno_failure("workingDir " + spec.cwd + " cannot be entered");
}

/// Everything between fork and exec. Returns only when it failed.
Failure become_container(const Spec& spec, const Fd& null, const ChildEnds& ends, pid_t parent) {
  ::setsid();
  if (::dup2(null.get(), 0) < 0 || ::dup2(ends.out.get(), 1) < 0 || ::dup2(ends.err.get(), 2) < 0) {
    return errno_failure("stdout and stderr");
  }
  if (auto failure = take_credentials(spec)) return *failure;
  if (!spec.namespaces) {
    // In a PID namespace the kernel does this. After the change of user, which would undo it.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::raise(SIGKILL);
  }
  if (auto failure = enter_cwd(spec)) return *failure;
  default_signals();
  unblock_signals();
  return run_program(spec);
}

[[noreturn]] void run_child(const Spec& spec, const Fd& null, const ChildEnds& ends, pid_t parent) {
  Failure failure = become_container(spec, null, ends, parent);
  (void)write_all(ends.status.get(), std::to_string(failure.code) + " " + failure.message);
  ::_exit(failure.code);
}

}  // namespace

MaybeFailure start_container(const Spec& spec, const Fd& null, Container& container) {
  ChildEnds ends;
  if (!make_pipe(container.out, ends.out) || !make_pipe(container.err, ends.err) ||
      !make_pipe(container.status, ends.status)) {
    return errno_failure("pipes for the container's output cannot be made");
  }
  // Its own user must be able to open /dev/stdout again.
  uid_t uid = spec.uid.value_or(static_cast<uid_t>(-1));
  gid_t gid = spec.gid.value_or(static_cast<gid_t>(-1));
  (void)::fchown(ends.out.get(), uid, gid);
  (void)::fchown(ends.err.get(), uid, gid);

  pid_t parent = ::getpid();
  container.pid = ::fork();
  if (container.pid < 0) {
    return errno_failure("the container's process cannot be forked (is a process limit reached?)");
  }
  if (container.pid == 0) run_child(spec, null, ends, parent);
  for (const Fd* pipe : {&container.out, &container.err, &container.status}) {
    ::fcntl(pipe->get(), F_SETFL, O_NONBLOCK);
  }
  return std::nullopt;
}

Failure parse_start_failure(std::string_view text) {
  std::size_t space = std::min(text.find(' '), text.size());
  auto code = parse_number(text.substr(0, space));
  std::string_view message = text.substr(std::min(space + 1, text.size()));
  return {std::string(message), code ? static_cast<int>(*code) : kCannotStart};
}

}  // namespace trainyard::shim
