#pragma once

#include "scheduler/plan/board.h"

#include <string>
#include <vector>

namespace trainyard::scheduler {

struct Placement {
  Key pod;
  std::string node;
  std::vector<int> gpus;  // which of the node's the pod gets
};

struct Placed {
  GangKey gang;
  std::vector<Placement> pods;
};

/// Pods that have to wait, and why.
struct Waiting {
  enum class Cause : std::uint8_t {
    kIncomplete,  // members, or the group itself, are still to be made: nothing is short
    kGated,       // somebody holds a pod back
    kUnschedulable
  };
  GangKey gang;
  Cause cause = Cause::kUnschedulable;
  std::vector<Key> pods;
  std::string summary;  // as Kubernetes words it: 0/3 nodes are available: …
  std::string advice;   // what is short, and the smallest change that would help

  std::string text() const {
    return summary.empty() || advice.empty() ? summary + advice : summary + " " + advice;
  }
};

struct SchedulePlan {
  std::vector<Placed> placed;
  std::vector<Placement> numbered;  // pods that came with their node: which GPUs they have there
  std::vector<Waiting> waiting;
};

/// Pure: the same cluster gives the same plan. Gangs of higher priority first, then the older ones;
/// each whole or not at all. One that has to wait does not keep later ones from room that it cannot
/// use.
SchedulePlan plan_placements(const Cluster& cluster, Rules rules = {});

}  // namespace trainyard::scheduler
