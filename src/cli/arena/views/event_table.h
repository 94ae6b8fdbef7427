#pragma once

#include "cli/arena/training_job.h"

#include <string>
#include <vector>

namespace trainyard::cli::arena {

/// The events of the job's instances, in the order of the instances and then of time; those of
/// other objects are passed over.
std::string event_table(const TrainingJob& job, const std::vector<ObjectPtr>& events, WallTime now);

/// What a job waits for, in one sentence: as its pods say, else the newest event about it or them;
/// empty when nobody says anything.
std::string pending_reason(const TrainingJob& job, const std::vector<ObjectPtr>& events);

}  // namespace trainyard::cli::arena
