#pragma once

#include "cli/command/server_process.h"

#include <string>
#include <utility>
#include <vector>

namespace trainyard::cli {

/// The flags of `trainyard up` that say what the options do, without what is secret.
std::vector<std::string> up_words(const UpOptions& options);
/// What is secret, as variables; take_secret_options() reads them.
std::vector<std::pair<std::string, std::string>> secret_variables(const UpOptions& options);

}  // namespace trainyard::cli
