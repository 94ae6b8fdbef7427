#pragma once

#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <string>

namespace trainyard::node {

/// The name of the file in memory that python/sitecustomize.py has stacks written to.
inline constexpr const char* kStacksFile = "trainyard-stacks";

/// Asks a Python process for the stacks of its threads, and returns what it has written: foreign
/// text. Blocks for up to half a second. The error says why there is none: it is no Python, was
/// started with another sitecustomize, is stopped, or does not answer.
/// Nothing is signalled that does not listen: SIGURG is ignored by who does not.
Result<std::string> ask_python_stacks(const std::filesystem::path& proc, int pid,
                                      std::uint64_t start);

}  // namespace trainyard::node
