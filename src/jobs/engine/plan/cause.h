#pragma once

#include "jobs/engine/form/failure.h"
#include "jobs/engine/plan/draft.h"

#include <string>
#include <vector>

/// The first cause of failures, decided from the order in which pods ended, never guessed.
namespace trainyard::jobs {

/// "Pod[x] exited with error code 1" and all that is known of it.
std::string how_it_ended(const Observed& observed);

/// Notes failures that are new in status.failures: those that follow each other closely belong
/// together, and the first of them may be the cause of the others.
void note_failures(Draft& draft);

/// The sentence for the end of a job or for a failed replica: what failed first, what that did to
/// the others, how the decisive pod failed, and `why` that was the end. The first pod that it names
/// is the cause, as far as it is known.
std::string tell_cause(const Draft& draft, const Observed& decisive, const std::string& why = "");

}  // namespace trainyard::jobs
