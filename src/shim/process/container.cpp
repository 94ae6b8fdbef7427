#include "shim/process/container.h"

#include "shim/process/credentials.h"
#include "shim/process/program.h"
#include "shim/process/signals.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
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

/// The side of its descriptors that the container gets.
struct ChildEnds {
  Fd in;
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

MaybeFailure set_limits(const Spec& spec) {
  for (const ProcessLimit& limit : spec.limits) {
    rlimit both{limit.most, limit.most};
    rlimit now{};
    auto resource = static_cast<__rlimit_resource_t>(limit.resource);
    // What the server itself is held to already cannot be raised, and need not be.
    if (::getrlimit(resource, &now) == 0 && now.rlim_max < both.rlim_max) continue;
    if (::setrlimit(resource, &both) != 0) return errno_failure("the container's limits");
  }
  return std::nullopt;
}

[[noreturn]] void run_child(const Spec& spec, const Cgroups& cgroups, bool inside,
                            const Stdio& stdio, const Fd& status, pid_t parent) {
  MaybeFailure outside = inside ? std::nullopt : cgroups.enter();
  Failure failure = outside ? *outside : become_program(spec, stdio, parent);
  (void)write_all(status.get(), std::to_string(failure.code) + " " + failure.message);
  ::_exit(failure.code);
}

MaybeFailure make_ends(const Spec& spec, Container& container, ChildEnds& ends) {
  bool made = make_pipe(container.status, ends.status);
  if (spec.tty) {
    ends.out = std::move(container.terminal);
  } else {
    made = made && make_pipe(container.out, ends.out) && make_pipe(container.err, ends.err) &&
           (spec.input == Input::kNone || make_pipe(ends.in, container.in));
  }
  if (!made) return errno_failure("pipes for the container's output cannot be made");
  return std::nullopt;
}

}  // namespace

MaybeFailure open_terminal(Container& container) {
  container.out = Fd(::open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC));
  int locked = 0;
  if (container.out.valid() && ::ioctl(container.out.get(), TIOCSPTLCK, &locked) == 0) {
    constexpr int kFlags = O_RDWR | O_NOCTTY | O_CLOEXEC;
    container.terminal = Fd(::ioctl(container.out.get(), TIOCGPTPEER, kFlags));
    container.in = Fd(::fcntl(container.out.get(), F_DUPFD_CLOEXEC, 0));
  }
  if (container.terminal.valid() && container.in.valid()) return std::nullopt;
  return errno_failure("a terminal (tty: true) cannot be made");
}

Failure become_program(const Spec& spec, const Stdio& stdio, pid_t parent) {
  ::setsid();
  if (stdio.tty && ::ioctl(stdio.in, TIOCSCTTY, 0) != 0) return errno_failure("the terminal");
  if (::dup2(stdio.in, 0) < 0 || ::dup2(stdio.out, 1) < 0 || ::dup2(stdio.err, 2) < 0) {
    return errno_failure("stdin, stdout and stderr");
  }
  if (auto failure = take_credentials(spec)) return *failure;
  if (auto failure = set_limits(spec)) return *failure;
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

void give_to_user(const Spec& spec, const Stdio& stdio) {
  uid_t uid = spec.uid.value_or(static_cast<uid_t>(-1));
  gid_t gid = spec.gid.value_or(static_cast<gid_t>(-1));
  (void)::fchown(stdio.out, uid, gid);
  (void)::fchown(stdio.err, uid, gid);
}

MaybeFailure start_container(const Spec& spec, const Cgroups& cgroups, const Fd& null,
                             Container& container) {
  ChildEnds ends;
  if (auto failure = make_ends(spec, container, ends)) return failure;
  int in = ends.in.valid() ? ends.in.get() : null.get();
  Stdio stdio{in, ends.out.get(), ends.err.get(), spec.tty};
  if (spec.tty) stdio.in = stdio.err = stdio.out;
  give_to_user(spec, stdio);

  pid_t parent = ::getpid();
  bool inside = false;
  container.pid = cgroups.fork_into(inside);
  if (container.pid < 0) {
    return errno_failure("the container's process cannot be forked (is a process limit reached?)");
  }
  if (container.pid == 0) run_child(spec, cgroups, inside, stdio, ends.status, parent);
  for (const Fd* end : {&container.out, &container.err, &container.in, &container.status}) {
    if (end->valid()) ::fcntl(end->get(), F_SETFL, O_NONBLOCK);
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
