#pragma once

#include "base/clock.h"
#include "object/values/metadata.h"

#include <string>
#include <vector>

namespace trainyard::cli::arena {

/// `arena data list`: the volumes that can be used, in the order of the server.
std::string data_table(const std::vector<ObjectPtr>& claims, WallTime now, bool namespaces);

}  // namespace trainyard::cli::arena
