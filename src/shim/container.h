#pragma once

#include "shim/failure.h"
#include "shim/files.h"
#include "shim/spec.h"

#include <sys/types.h>

namespace trainyard::shim {

/// The container's main process, just forked.
struct Container {
  pid_t pid = -1;
  Fd out;
  Fd err;
  /// Ends without a byte when the program runs; otherwise brings a parse_start_failure() text.
  Fd status;
};

/// Forks the process that becomes the container. All signals must be blocked; `null` is open on
/// /dev/null.
MaybeFailure start_container(const Spec& spec, const Fd& null, Container& container);

/// Reads what came through Container::status.
Failure parse_start_failure(std::string_view text);

}  // namespace trainyard::shim
