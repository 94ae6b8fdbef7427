#pragma once

#include "base/clock.h"
#include "object/json/json.h"

#include <string>

namespace trainyard::jobs {

/// Sets a condition; its time changes only when its status does.
void set_condition(Json& status, const std::string& type, bool value, const std::string& reason,
                   const std::string& message, WallTime now);

bool condition_is(const Json& status, const std::string& type, bool value);

}  // namespace trainyard::jobs
