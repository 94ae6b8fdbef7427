#pragma once

#include "base/result.h"

#include <filesystem>
#include <string>
#include <vector>

namespace trainyard::node {

/// For when no server runs: ends all containers of this data folder, each with its own grace
/// period. All that is known of them is in their run folders. Returns when they are gone; the names
/// of their pods, as NAMESPACE/NAME.
Result<std::vector<std::string>> end_running_pods(const std::filesystem::path& data_dir);

}  // namespace trainyard::node
