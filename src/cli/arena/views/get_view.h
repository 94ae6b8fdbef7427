#pragma once

#include "cli/arena/nodes/gpu_samples.h"
#include "cli/arena/training_job.h"

#include <string>
#include <vector>

namespace trainyard::cli::arena {

/// What `arena get` shows beside the job itself.
struct JobExtras {
  std::string tensorboard;        // its address; empty: it has none
  std::vector<ObjectPtr> events;  // of its pods
  bool show_events = false;
  bool show_gpus = false;  // in the wide layout
  GpuSamples gpus;
};

/// The layout that people's scripts read.
std::string classic_job(const TrainingJob& job, const JobExtras& extras, WallTime now);
/// That of today's releases.
std::string wide_job(const TrainingJob& job, const JobExtras& extras, WallTime now);

/// Name, status and times, as they stand above the instances in the wide layout.
std::string wide_heading(const TrainingJob& job, WallTime now);

}  // namespace trainyard::cli::arena
