#pragma once

#include "jobs/engine/draft.h"
#include "jobs/engine/failure.h"

#include <string>
#include <vector>

/// The first cause of failures, decided from the order in which pods ended, never guessed.
namespace trainyard::jobs {

/// "Pod[x] exited with error code 1" and all that is known of it.
std::string how_it_ended(const Observed& observed);

/// Notes failures that are new in status.failures: those that follow each other closely belong
/// together, and the first of them may be the cause of the others.
void note_failures(Draft& draft);

/// The sentence for the end of a job or for a failed replica: how the decisive pod failed, `why`
/// that was the end, what failed first, and what that did to the others.
std::string tell_cause(const Draft& draft, const Observed& decisive, const std::string& why = "");

/// Of failures in the order of time: what failed first, and how the others follow from it; empty
/// when there is only `decisive`.
std::string tell_first(const std::vector<Failure>& failures, const std::string& decisive);

}  // namespace trainyard::jobs
