#pragma once

#include <chrono>
#include <string>

namespace trainyard::cli::arena {

/// 42s, 8m, 5h, 3d, 1y: one unit, cut off and never rounded up. A clock that is a second behind
/// makes 0s, one that is further behind <invalid>.
std::string span_text(std::chrono::nanoseconds span);

}  // namespace trainyard::cli::arena
