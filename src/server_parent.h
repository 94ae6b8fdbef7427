#pragma once

#include "cli/command/server_process.h"

#include <functional>

namespace trainyard {

/// Runs the server in a process of its own, with this one as its small parent: a server that ends
/// by a crash is started anew, at most five times a minute, once it has been ready. Signals to end
/// go on to it; it does not outlive this process. Returns its exit code.
int run_under_parent(const cli::UpOptions& options,
                     const std::function<int(const cli::UpOptions&)>& run);

}  // namespace trainyard
