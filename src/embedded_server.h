#pragma once

#include "cli/command/server_process.h"

namespace trainyard {

/// `trainyard up`: the whole platform in one process. Runs until SIGTERM or SIGINT; returns the
/// exit code.
int run_embedded_server(const cli::UpOptions& options);

}  // namespace trainyard
