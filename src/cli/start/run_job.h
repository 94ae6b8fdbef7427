#pragma once

#include "base/result.h"
#include "cli/command/commands.h"
#include "object/json/json.h"

#include <map>
#include <string>
#include <vector>

namespace trainyard::cli {

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
