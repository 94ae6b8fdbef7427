#pragma once

#include "shim/files.h"
#include "shim/spec.h"

namespace trainyard::shim {

/// The life of the process that stays with the container: PID 1 of its namespace, or a subreaper
/// where there is none. `dir` is DIR, open. Ends with DIR/exit, whatever happens before.
///
/// With `go` open, `spec` is only what any container gets: the rest is in DIR/spec once the server
/// has written a byte there. If it hangs up instead, nothing has been.
[[noreturn]] void run_inner(int dir, Spec spec, Fd go);

}  // namespace trainyard::shim
