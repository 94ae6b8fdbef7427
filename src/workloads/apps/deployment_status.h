#pragma once

#include "base/clock.h"
#include "workloads/apps/rollout.h"
#include "workloads/conditions.h"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace trainyard::workloads {

/// What the status of a Deployment is made from.
struct StatusView {
  const Json& deployment;
  RolloutForm form;
  std::vector<const Json*> sets;      // all of them
  const Json* new_set = nullptr;      // nullptr: there is none yet
  std::int64_t wanted_pods = 0;       // what the sets ask for, after this plan
  bool follows_rollout = true;        // false while it is paused or being scaled
  std::optional<Condition> progress;  // what this plan itself has to say: a set was made, paused …
  WallTime now;
};

struct DeploymentStatus {
  Json status;
  std::optional<std::chrono::milliseconds> look_again;  // when its deadline comes
};

DeploymentStatus deployment_status(const StatusView& view);

/// As set_condition(), with lastUpdateTime: written anew when status or reason change, or when
/// there is `news`, from which the deadline is counted.
void set_dated_condition(JsonArray& conditions, const Condition& condition, WallTime now,
                         bool news);

/// All replicas are new, available, and no others are left.
bool is_complete(const Json& deployment, const RolloutForm& form, const Json& status);

}  // namespace trainyard::workloads
