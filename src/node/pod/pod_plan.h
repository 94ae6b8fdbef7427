#pragma once

#include "node/pod/pod_view.h"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace trainyard::node {

/// What is to be done with one container now.
struct Step {
  enum class Kind : std::uint8_t {
    kLeave,
    kStart,    // the current run, which is absent
    kRestart,  // the next run
    kStop,
  };
  Kind kind = Kind::kLeave;
  bool again = false;                            // it has ended, and that is not its last word
  std::optional<std::chrono::seconds> back_off;  // the pause that it has to wait before
};

/// What is to be done with a pod now, and what can be said of it.
struct PodPlan {
  std::vector<Step> steps;             // one a container, in the view's order
  std::optional<WallTime> look_again;  // when time alone changes the plan
  bool initialized = false;            // the main containers may run
  bool over = false;                   // nothing of it lives, and nothing ever will
  bool deadline_passed = false;
};

/// Decides what happens next. Pure: the same view at the same time gives the same plan, whether the
/// server has watched all the time or has just come back.
PodPlan plan_pod(const PodView& pod, WallTime now);

}  // namespace trainyard::node
