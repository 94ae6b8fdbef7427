#pragma once

#include "shim/failure.h"
#include "shim/spec.h"

namespace trainyard::shim {

/// Replaces this process by the program of `spec`, looked up in the PATH of its environment.
/// Returns only if that failed.
Failure run_program(const Spec& spec);

}  // namespace trainyard::shim
