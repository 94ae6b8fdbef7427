#pragma once

#include "contract/rank_activity.h"
#include "jobs/engine/plan/draft.h"

#include <optional>
#include <string>
#include <vector>

/// Whether the ranks of a job that runs have stopped moving, or one keeps the others waiting, from
/// what the nodes say of each in a condition of its pod (contract/rank_activity.h). Nothing is ever
/// ended for it.
namespace trainyard::jobs {

/// The job's conditions that tell of it. A job that never had trouble has neither.
inline constexpr const char* kStalled = "Stalled";
inline constexpr const char* kStraggling = "Straggling";

/// A replica, and what its node says of its ranks.
struct WatchedPod {
  std::string name;
  std::string type;  // its group's: those of one group do the same
  bool runs = false;
  bool ended = false;  // it will not run again; one that neither runs nor ended is to come
  std::vector<contract::RankReport> ranks;  // empty: all that is known is that they move
};

struct StallVerdict {
  std::string reason;   // one word, for programs
  std::string message;  // names the rank and what it waits in
};

/// Judges. Pure; states have been held long enough by whoever reports them
/// (node/activity_limits.h), so no time is looked at here.
std::optional<StallVerdict> judge_stall(const std::vector<WatchedPod>& pods);
/// One rank of a job that moves keeps all others of its type waiting most of the time, or counts
/// its steps much slower than those that its node compares it with.
std::optional<StallVerdict> judge_straggler(const std::vector<WatchedPod>& pods);

/// Writes both conditions, and an event when something new is to be told.
void report_stall(Draft& draft);
bool is_about_stall(const PlannedEvent& event);
/// Of a job that has ended, or waits: nobody waits for a rank any more.
void clear_stall(Draft& draft);

}  // namespace trainyard::jobs
