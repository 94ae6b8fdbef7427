#pragma once

#include "base/result.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard::cli {

/// Runs a program, found on PATH, with our standard streams. Its exit code, or 128 + the signal.
Result<int> run_program(const std::vector<std::string>& command);

struct ProgramOutput {
  int code = 0;
  std::string text;  // of its standard output, the first 64 kB
};
/// Runs a program to see what it says: no input, errors go nowhere. kTimeout when it takes longer
/// than some seconds: it is then killed.
Result<ProgramOutput> capture_program(const std::vector<std::string>& command);

/// Runs a program and takes its standard output in pieces; errors are said on our standard error.
/// An error of `take` ends it. Its exit code.
Result<int> stream_program(const std::vector<std::string>& command,
                           const std::function<Result<>(std::string_view)>& take);

/// Where a program is, on `path` (folders with : between); empty when nowhere.
std::string find_program(const std::string& name, const std::string& path);

}  // namespace trainyard::cli
