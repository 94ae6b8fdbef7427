#pragma once

#include "cli/command/context.h"

#include <string>
#include <vector>

namespace trainyard::cli {

struct ScalarsOptions {
  std::string job;                // or
  std::string log_folder;         // DIR or VOLUME:PATH
  std::vector<std::string> tags;  // patterns; empty: all
  bool csv = false;
  bool plot = false;
  bool follow = false;
};

/// The curves that a job's programs have written for TensorBoard.
Result<int> scalars(const Flags& flags, const ScalarsOptions& options);

}  // namespace trainyard::cli
