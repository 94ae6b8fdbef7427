#pragma once

#include "jobs/engine/plan/draft.h"

/// The TensorBoard that is made with a job, stays when the job is over and goes with it.
namespace trainyard::jobs {

bool wants_tensorboard(const Json& job);
/// <job>-<suffix>
std::string tensorboard_name(const Json& job);

/// Plans its creation where it is missing and the job goes on.
void make_tensorboard(Draft& draft);
/// Says in the job's status how it is.
void mirror_tensorboard(Draft& draft);

}  // namespace trainyard::jobs
