#pragma once

#include "shim/spec.h"

namespace trainyard::shim {

/// The life of the process that stays with the container: PID 1 of its namespace, or a subreaper
/// where there is none. `dir` is DIR, open. Ends with DIR/exit, whatever happens before.
[[noreturn]] void run_inner(int dir, Spec spec);

}  // namespace trainyard::shim
