#pragma once

#include "base/result.h"
#include "object/json.h"

#include <map>
#include <string>
#include <vector>

namespace trainyard::cli {

/// `trainyard run [flags] -- COMMAND`.
struct RunOptions {
  std::vector<std::string> command;
  std::int64_t replicas = 1;
  bool torchrun = false;  // one replica, in which torchrun starts that many processes
  std::string name;       // empty: made from the command
  std::string image = "host";
  std::string cpu;     // of each replica; empty: none is reserved
  std::string memory;  // the same
  std::int64_t gpus = 0;
  std::string volume;            // a claim to work in; empty: the current folder
  std::vector<std::string> env;  // NAME=VALUE, or NAME as it is here
  std::int64_t retries = 0;
  bool detach = false;
  bool dry_run = false;
  bool yes = false;  // start a server where none runs
};

/// Where the command was typed.
struct Surroundings {
  std::string folder;
  std::map<std::string, std::string> environment;
  unsigned cores = 1;
};

/// The job that runs the command as it would run here: in this folder, with this Python. Pure.
Result<Json> make_run_job(const RunOptions& options, const Surroundings& here);

/// A name for a job that runs this: `train` for python3 -u src/train.py --lr 3.
std::string name_for(const std::vector<std::string>& command);

}  // namespace trainyard::cli
