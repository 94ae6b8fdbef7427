#pragma once

#include "base/result.h"

#include <filesystem>
#include <vector>

namespace trainyard::cli {

/// The data folders of the servers that this user runs on this machine, whoever else has some.
std::vector<std::filesystem::path> running_servers();

/// The folder that is meant where a server is wanted: `wanted` when one runs on it, or when it was
/// named; else the one that the only running server has. The error lists them where there are
/// several.
Result<std::filesystem::path> choose_data_dir(const std::filesystem::path& wanted, bool named);

}  // namespace trainyard::cli
