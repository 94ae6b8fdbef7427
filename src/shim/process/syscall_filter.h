#pragma once

#include "shim/failure.h"

#include <linux/filter.h>
#include <vector>

namespace trainyard::shim {

/// The program that the kernel asks before each system call of a container:
///
///   another architecture's (32-bit programs)        the process is killed, by SIGSYS
///   newer than the table, io_uring, clone3, x32     ENOSYS: libraries do without
///   those of the table, new namespaces              EPERM
///   all others                                      as always
///
/// Which: those that containers usually lack. Most are guarded by capabilities too, but with a user
/// namespace of its own a process would have all of them there, and what it makes of the kernel's
/// less used parts then is how containers are left.
std::vector<sock_filter> make_syscall_filter();

/// For this process and all that come of it, forever. After no_new_privs.
MaybeFailure filter_syscalls();

}  // namespace trainyard::shim
