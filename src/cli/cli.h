#pragma once

#include "cli/command/server_process.h"
#include "cli/server/backup.h"

#include <functional>

namespace trainyard::cli {

/// What commands need of rooms that they may not enter. Given by main, which alone knows all.
struct Parts {
  /// Runs the server in this process until it is told to stop.
  std::function<int(const UpOptions&)> run_server;
  StoreTools store;
  /// Ends what runs on a data folder that has no server; the names of the pods.
  std::function<Result<std::vector<std::string>>(const std::filesystem::path& data_dir)> end_pods;
};

/// `trainyard …`: reads the command line and runs the command. Returns the exit code.
int run(int argc, char** argv, const Parts& parts);

}  // namespace trainyard::cli
