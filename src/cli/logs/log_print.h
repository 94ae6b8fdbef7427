#pragma once

#include "cli/command/context.h"
#include "cli/logs/log_sources.h"

#include <vector>

namespace trainyard::cli {

/// Prints a log as it is. What the source says goes before what the options say.
awaitable<Result<>> print_log(Session& session, LogSource source, client::LogOptions options);

/// Prints several logs as one, in the order of time, each line behind the name of its replica.
/// Sources that have no log (yet) are passed over.
awaitable<Result<>> print_merged(Session& session, std::vector<LogSource> sources,
                                 client::LogOptions options);

}  // namespace trainyard::cli
