#pragma once

#include "jobs/engine/plan/judge.h"

namespace trainyard::jobs {

/// Why a job of a leader and its followers has failed though its leader may still be tried: a
/// follower that it cannot do without is gone, or the way to them is barred. Nothing: it goes on.
std::optional<Ending> judge_start(const Draft& draft);

}  // namespace trainyard::jobs
