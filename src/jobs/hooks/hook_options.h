#pragma once

#include "jobs/hooks/job_hooks.h"

#include <filesystem>
#include <string>
#include <vector>

namespace trainyard::jobs {

/// From what `trainyard up` was told. Notes in the data folder since when there are hooks: what
/// ended before is nobody's news.
Result<HookOptions> read_hook_options(const std::vector<std::string>& webhooks,
                                      const std::string& command,
                                      const std::filesystem::path& data_dir);

}  // namespace trainyard::jobs
