#pragma once

#include "cli/arena/context.h"

#include <string>

namespace trainyard::cli::arena {

/// Sends the files of a folder of this machine to a volume, which is made when it is missing. Files
/// are kept there by their content, so that only what has changed is sent, and a job that runs
/// keeps its own. Returns the hash of the listing that says which they are.
Result<std::string> upload_code(Context& context, const std::string& folder,
                                const std::string& claim);

}  // namespace trainyard::cli::arena
