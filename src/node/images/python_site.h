#pragma once

#include "node/variables.h"
#include "object/json/json.h"

#include <filesystem>

namespace trainyard::node {

/// Where containers find what write_python_site() writes: in the folder of tools.
inline constexpr const char* kPythonSitePath = "/opt/trainyard/bin/site";

/// Whether a pod is one of a job's gang: what its ranks do is watched (activity_watcher.h).
bool is_of_job(const Json& pod);

/// Puts the folder behind those that the container's own PYTHONPATH names, so that what the user
/// brings comes first, a sitecustomize too. All containers have it: torchrun is typed into
/// notebooks as well as written into jobs.
void show_python_site(Variables& variables);

/// Writes python/sitecustomize.py below the folder of tools.
Result<> write_python_site(const std::filesystem::path& tools);

}  // namespace trainyard::node
