#pragma once

#include "base/result.h"

#include <chrono>
#include <string_view>

namespace trainyard::cli::arena {

/// 5s, 1m, 2h22m, 1.5h, 300ms, -1s: how flags for times are written. A number without a unit is an
/// error, unless it is 0.
Result<std::chrono::nanoseconds> parse_go_duration(std::string_view text);

}  // namespace trainyard::cli::arena
