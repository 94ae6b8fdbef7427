#pragma once

#include "cli/arena/training_job.h"

#include <string>
#include <vector>

namespace trainyard::cli::arena {

/// Newest first; those that have not started before all others, those of the same moment by
/// namespace and name.
void sort_newest_first(std::vector<TrainingJob>& jobs);

struct TableOptions {
  bool namespaces = false;  // a column for them
  bool wide = false;        // the columns of today's releases
};
/// `arena list`, in the order of the jobs.
std::string list_table(const std::vector<TrainingJob>& jobs, WallTime now,
                       const TableOptions& options);

/// The address of the node on which its chief runs, or N/A.
std::string node_of_running(const TrainingJob& job);

}  // namespace trainyard::cli::arena
