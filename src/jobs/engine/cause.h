#pragma once

#include "jobs/engine/observation.h"

#include <string>

namespace trainyard::jobs {

/// "Pod[x] exited with error code 1", or the reason when no process got that far.
std::string how_it_ended(const Observed& observed);

}  // namespace trainyard::jobs
