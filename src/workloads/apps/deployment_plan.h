#pragma once

#include "base/clock.h"
#include "object/values/metadata.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace trainyard::workloads {

/// Everything that a decision about a Deployment may rest on, read at one moment.
struct DeploymentView {
  ObjectPtr deployment;
  std::vector<ObjectPtr> sets;  // its own ReplicaSets
  std::vector<ObjectPtr> pods;  // of those sets, as they are: what the sets say of them may be old
  WallTime now;
};

struct DeploymentEvent {
  bool warning = false;
  std::string reason;
  std::string message;
};

/// A change of a ReplicaSet, as a merge patch that holds only for the state that was looked at.
struct SetChange {
  std::string name;
  Json patch;
};

/// What to do next. Any prefix of it may be all that happens before a crash.
struct DeploymentPlan {
  std::optional<Json> create_set;
  std::vector<SetChange> change_sets;
  std::vector<ObjectPtr> remove_sets;  // history that nobody needs any more
  std::int64_t revision = 0;           // to be written into the annotation; 0: it is there
  std::optional<Json> status;          // when it differs from the Deployment's
  std::vector<DeploymentEvent> events;
  std::optional<std::chrono::milliseconds> look_again;
};

/// Decides. No I/O, no clock, no randomness: the same view gives the same plan.
DeploymentPlan plan_deployment(const DeploymentView& view);

}  // namespace trainyard::workloads
