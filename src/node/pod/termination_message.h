#pragma once

#include "node/run/run_state.h"
#include "object/json/json.h"

#include <filesystem>
#include <string>

namespace trainyard::node {

/// Adds to the state of an ended run what the container itself has said about its end: what it has
/// written to its termination log or, with terminationMessagePolicy FallbackToLogsOnError and an
/// error, the end of its log, with the line that tells most.
void add_last_words(const std::filesystem::path& run_folder, const Json& container,
                    RunState& state);

/// The end of a run's log, for who looks for what went wrong.
std::string last_lines_of(const std::filesystem::path& run_folder);

/// The last lines of a log as the shim writes it; unless told otherwise, as far as Kubernetes takes
/// them: 2,048 bytes, 80 lines.
std::string end_of_log(std::string_view records, std::size_t most_bytes = 2048,
                       std::int64_t most_lines = 80);

}  // namespace trainyard::node
