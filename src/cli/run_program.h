#pragma once

#include "base/result.h"

#include <string>
#include <vector>

namespace trainyard::cli {

/// Runs a program to its end, on this terminal. Its exit code; 128 + N for signal N.
Result<int> run_program(const std::vector<std::string>& command);

}  // namespace trainyard::cli
