#pragma once

#include "base/result.h"

#include <chrono>
#include <string>

namespace trainyard::cli {

/// 90s, 10m, 1h30m, 2d, or a number of seconds. `what` is the flag, for the error.
Result<std::chrono::seconds> parse_duration(const std::string& text, const std::string& what);

}  // namespace trainyard::cli
