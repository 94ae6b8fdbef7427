#pragma once

#include "cli/command/context.h"

#include <string>

namespace trainyard::cli {

/// What bare `trainyard` says: where to start, given whether a server runs. Pure.
std::string start_page(const std::optional<ServerInfo>& server);

}  // namespace trainyard::cli
