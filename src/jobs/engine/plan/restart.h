#pragma once

#include "jobs/engine/plan/draft.h"

/// Which ended replicas run again, and how often that may still happen.
namespace trainyard::jobs {

/// Whether the policy has an ended replica run again, all limits aside.
bool may_restart(RestartPolicy policy, const Observed& observed);

/// Adds up the restarts so far.
void tally_restarts(Draft& draft);
/// Decides which pods that have ended and are gone get a successor, and counts those. Somebody else
/// may have deleted them, so that is not said yet. Pods that were deleted while they ran had no
/// end: their successors only take their places.
void count_restarts(Draft& draft);

/// Whether policy and limits have an ended replica run again.
bool will_restart(const Draft& draft, const Observed& observed);
/// Whether it has ended and stays so.
bool has_ended_for_good(const Draft& draft, const Observed& observed);

/// Has ended pods run again. Their end is first written down, so that a crash between removing the
/// old pod and creating the new one cannot forget the restart.
void replace_ended(Draft& draft);

/// With RestartScope::kJob: whether pods of an earlier round are still there. Until they are gone,
/// no pod of the next one may start.
bool awaits_old_pods(const Draft& draft);

}  // namespace trainyard::jobs
