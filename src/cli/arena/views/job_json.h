#pragma once

#include "cli/arena/training_job.h"

#include <string>

namespace trainyard::cli::arena {

/// The schema of -o json, shared by list, get and top job.
Json job_json(const TrainingJob& job, const std::string& tensorboard, WallTime now);

/// A value as -o json writes it (indented by four blanks) or -o yaml (all keys in lower case), with
/// its last line end.
std::string formatted(const Json& value, const std::string& format);

}  // namespace trainyard::cli::arena
