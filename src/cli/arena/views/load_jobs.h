#pragma once

#include "cli/arena/context.h"
#include "cli/arena/training_job.h"

#include <string>
#include <vector>

/// Jobs as the server has them. However many there are, the number of requests is the same.
namespace trainyard::cli::arena {

struct JobQuery {
  std::vector<TrainingType> types;
  bool all_namespaces = false;
  /// Also pods that have ended, and all of them with what they ask for: needed for GPUs, and for
  /// nodes of jobs that are over.
  bool gpus_and_ends = false;
};

/// Those that were submitted by Arena and that the caller may see, type by type, each in the order
/// of the server. Types that are not installed are passed over.
Result<std::vector<TrainingJob>> load_jobs(Context& context, const JobQuery& query);

/// The one job of that name with all its pods. An error when there is none, when several types have
/// one, or when it is somebody else's.
Result<TrainingJob> load_job(Context& context, const std::string& name, const std::string& type);

/// All objects of a resource in the namespace, or everywhere.
Result<std::vector<ObjectPtr>> load_all(Context& context, const Resource& resource,
                                        bool all_namespaces, const std::string& labels = "",
                                        const std::string& fields = "");

/// Pods that have not ended.
inline constexpr const char* kLivePods = "status.phase!=Succeeded,status.phase!=Failed";

}  // namespace trainyard::cli::arena
