#include "cli/jobs/wait_goal.h"

#include "cli/command/job_facts.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace trainyard::cli {
namespace {

constexpr std::array<std::pair<std::string_view, WaitGoal>, 6> kGoals{{
    {"Running", WaitGoal::kRunning},
    {"Succeeded", WaitGoal::kSucceeded},
    {"Failed", WaitGoal::kFailed},
    {"Completed", WaitGoal::kCompleted},
    {"Paused", WaitGoal::kPaused},
    {"Deleted", WaitGoal::kDeleted},
}};

bool same_word(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) {
           return (x | 0x20) == (y | 0x20);
         });
}

}  // namespace

Result<WaitGoal> parse_wait_goal(const std::string& word) {
  for (const auto& [name, goal] : kGoals) {
    if (same_word(word, name)) return goal;
  }
  return Error(Code::kInvalid,
               fmt::format("--for {}: there is Running, Succeeded, Failed, Completed (either), "
                           "Paused and Deleted",
                           word));
}

WaitVerdict judge_wait(const Json& job, WaitGoal goal) {
  const std::string phase = phase_of(job);
  const bool ended = job_has_ended(job);
  bool reached = false;
  switch (goal) {
    // What has succeeded has been running, though nobody may have seen it.
    case WaitGoal::kRunning:
      reached = phase == "Running" || phase == "Succeeded";
      break;
    case WaitGoal::kSucceeded:
      reached = phase == "Succeeded";
      break;
    case WaitGoal::kFailed:
      reached = phase == "Failed";
      break;
    case WaitGoal::kCompleted:
      reached = ended;
      break;
    case WaitGoal::kPaused:
      reached = phase == "Paused";
      break;
    case WaitGoal::kDeleted:
      return WaitVerdict::kNotYet;
  }
  if (reached) return WaitVerdict::kReached;
  return ended ? WaitVerdict::kNever : WaitVerdict::kNotYet;
}

}  // namespace trainyard::cli
