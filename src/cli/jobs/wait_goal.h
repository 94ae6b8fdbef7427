#pragma once

#include "base/result.h"
#include "object/json/json.h"

#include <string>

namespace trainyard::cli {

/// What `trainyard wait` can wait for.
enum class WaitGoal : std::uint8_t { kRunning, kSucceeded, kFailed, kCompleted, kPaused, kDeleted };

Result<WaitGoal> parse_wait_goal(const std::string& word);

enum class WaitVerdict : std::uint8_t { kReached, kNotYet, kNever };

/// Whether a job has reached a goal, or cannot any more. Pure.
WaitVerdict judge_wait(const Json& job, WaitGoal goal);

}  // namespace trainyard::cli
