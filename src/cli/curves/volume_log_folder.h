#pragma once

#include "cli/command/context.h"
#include "monitor/events/log_folder.h"

#include <memory>
#include <string>

namespace trainyard::cli {

/// Event files in a folder of a volume: read from the disk where this machine has it, otherwise
/// through the API, which takes the right to read the volume's files.
Result<std::unique_ptr<monitor::LogFolder>> open_volume_logs(Session& session,
                                                             const std::string& volume,
                                                             const std::string& folder);

}  // namespace trainyard::cli
