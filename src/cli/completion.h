#pragma once

#include "base/result.h"

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace trainyard::cli {

/// The script that teaches a shell (bash, zsh or fish) to complete our commands. It asks the
/// program itself, by the hidden command `__complete`, so it never grows stale.
Result<std::string> completion_script(const std::string& shell);

/// What may stand in the place of the last word: commands, or flags when it begins with a dash.
std::vector<std::string> complete(const CLI::App& app, const std::vector<std::string>& words);
/// Whether the last word is the name of a job.
bool names_a_job(const CLI::App& app, const std::vector<std::string>& words);

}  // namespace trainyard::cli
