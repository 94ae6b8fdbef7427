#pragma once

#include "cli/arena/training_job.h"

#include <string>
#include <vector>

namespace trainyard::cli::arena {

/// The label selector of the Services that lead to TensorBoards.
inline constexpr const char* kTensorboardServices = "role=tensorboard,release";

/// Where the job's TensorBoard answers: at the load balancer, else at the port of the first node
/// that is ready; empty when it has none.
std::string tensorboard_address(const TrainingJob& job, const std::vector<ObjectPtr>& services,
                                const std::vector<ObjectPtr>& nodes);

}  // namespace trainyard::cli::arena
