#pragma once

#include "base/result.h"

#include <string>

namespace trainyard::cli {

/// Asks a person at a terminal; without one, or without their yes, an error says that --yes does
/// it.
Result<> confirm(const std::string& question, bool yes);

/// Asks a person at a terminal what most will want: Enter is a yes.
bool agrees(const std::string& question);

}  // namespace trainyard::cli
