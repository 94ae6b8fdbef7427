#pragma once

#include "jobs/engine/plan/draft.h"

/// Holding a job and letting it go on.
namespace trainyard::jobs {

/// Removes the pods that run or wait. Those that have ended stay: their end counts.
void hold(Draft& draft);
/// Where the job was held: it is not any more.
void resume(Draft& draft);

}  // namespace trainyard::jobs
