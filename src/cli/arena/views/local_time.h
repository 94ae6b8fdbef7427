#pragma once

#include "base/clock.h"

#include <string>

namespace trainyard::cli::arena {

/// 2024-05-06 09:30:00, in the time zone of whoever looks.
std::string local_time_text(WallTime time);

}  // namespace trainyard::cli::arena
