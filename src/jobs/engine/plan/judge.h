#pragma once

#include "jobs/engine/plan/draft.h"

#include <optional>
#include <string>

/// When a job is over, and what happens then.
namespace trainyard::jobs {

struct Ending {
  bool success = false;
  std::string message;
  EndedBy by = EndedBy::kRules;
};

/// Whether the job has ended: its rules decide, or its deadline. Nothing: it goes on.
std::optional<Ending> judge(const Draft& draft);

/// Until the deadline; nothing: there is none, or its clock does not run.
std::optional<std::chrono::milliseconds> time_left(const Draft& draft);

/// Writes the end down. Cleaning up waits for the next plan: a crash after the master's removal,
/// and before its end is written down, would run the job again.
void finish(Draft& draft, const Ending& ending);

/// Removes what the policy does not keep, and what must not go on.
void clean_up(Draft& draft);
/// Of a job that is over: when it goes itself.
void expire(Draft& draft);

}  // namespace trainyard::jobs
