#pragma once

#include "cli/server_process.h"

#include <functional>

namespace trainyard::cli {

/// Runs the server in this process until it is told to stop. Given by main, which alone knows all
/// the rooms.
using RunServer = std::function<int(const UpOptions&)>;

/// `trainyard …`: reads the command line and runs the command. Returns the exit code.
int run(int argc, char** argv, const RunServer& run_server);

}  // namespace trainyard::cli
