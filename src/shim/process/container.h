#pragma once

#include "shim/failure.h"
#include "shim/files.h"
#include "shim/process/cgroups.h"
#include "shim/spec.h"

#include <sys/types.h>

namespace trainyard::shim {

/// The container's main process, just forked.
struct Container {
  pid_t pid = -1;
  Fd out;  // with a terminal: its other side, which brings stderr too
  Fd err;
  /// Where its input goes, when the spec asks for one; with a terminal the same as `out`.
  Fd in;
  Fd terminal;  // for the process itself; closed once it runs
  /// Ends without a byte when the program runs; otherwise brings a parse_start_failure() text.
  Fd status;
};

/// For a container that shall have a terminal, before start_container() and while the host's /dev
/// is in sight: the container's own need not have what makes one.
MaybeFailure open_terminal(Container& container);

/// Forks the process that becomes the container. All signals must be blocked; `null` is open on
/// /dev/null.
MaybeFailure start_container(const Spec& spec, const Cgroups& cgroups, const Fd& null,
                             Container& container);

/// Reads what came through Container::status.
Failure parse_start_failure(std::string_view text);

/// What a program gets as its stdin, stdout and stderr.
struct Stdio {
  int in = -1;
  int out = -1;
  int err = -1;
  bool tty = false;  // they are a terminal, which it shall control
};

/// Everything between fork and exec, for the container's main process and for commands that run
/// beside it; they are in their control groups by then. Returns only when it failed.
Failure become_program(const Spec& spec, const Stdio& stdio, pid_t parent);

/// The program's own user must be able to open /dev/stdout again.
void give_to_user(const Spec& spec, const Stdio& stdio);

}  // namespace trainyard::shim
