// What trainings write and we look at: lines of their logs, the stacks that faulthandler writes for
// them, and what their pods say of their ranks.
#include "contract/python_stack.h"
#include "contract/rank_activity.h"
#include "fuzz.h"
#include "monitor/progress/progress.h"

namespace trainyard::fuzz {
namespace {

void check_stacks(std::string_view input) {
  for (const contract::ThreadStack& thread : contract::read_python_stacks(input)) {
    require(!thread.frames.empty() && thread.frames.size() <= 100, "stacks have bounds");
    for (const contract::StackFrame& frame : thread.frames) (void)contract::short_frame(frame);
  }
}

void check_activity(std::string_view input) {
  const auto reports = contract::read_activity(input);
  const std::string text = contract::activity_message(reports);
  require(contract::read_activity(text).size() == reports.size(), "what was read can be written",
          text);
}

void check_progress(std::string_view input) {
  monitor::ProgressOfLog log;
  WallTime time;
  for (const std::string_view line : lines_of(input)) {
    log.add(time += std::chrono::seconds(1), line);
  }
  const auto told = log.tell(time);
  if (!told) return;
  require(!told->share || (*told->share >= 0 && *told->share <= 1), "a share is of the whole");
  require(!told->rate || *told->rate > 0, "a rate is positive");
  require(!told->left || told->left->count() >= 0, "what is left is not in the past");
  (void)monitor::progress_words(*told);
}

}  // namespace

void run(std::string_view input) {
  check_stacks(input);
  check_activity(input);
  check_progress(input);
}

}  // namespace trainyard::fuzz
