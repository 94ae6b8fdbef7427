#pragma once

#include "cli/arena/nodes/gpu_samples.h"
#include "cli/arena/views/list_view.h"

#include <string>
#include <vector>

/// `arena top job`: jobs and how many GPUs they have.
namespace trainyard::cli::arena {

/// Those that ask for most first; among equals as they came, which is by type and then as the
/// server lists them.
void sort_by_gpus(std::vector<TrainingJob>& jobs);

std::string top_jobs_table(const std::vector<TrainingJob>& jobs, WallTime now,
                           const TableOptions& options);

/// The instances of one job and their GPUs; with `only`, of that instance.
std::string top_instances_table(const TrainingJob& job, const GpuSamples& samples,
                                const std::string& only);
std::string wide_top_instances(const TrainingJob& job, const GpuSamples& samples,
                               const std::string& only, WallTime now);

}  // namespace trainyard::cli::arena
