#pragma once

#include "base/clock.h"
#include "object/values/metadata.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace trainyard::workloads {

/// Everything that a decision about a ReplicaSet may rest on, read at one moment.
struct ReplicaSetView {
  ObjectPtr set;
  std::vector<ObjectPtr> pods;  // its own
  WallTime now;
};

struct ReplicaSetPlan {
  std::int64_t create = 0;        // so many pods are missing
  std::vector<ObjectPtr> remove;  // or these are too many
};

/// At most kBurst pods at a time, and none while so many wait for a place: a set of a thousand
/// million replicas makes what there is room for, and a few that wait. No I/O, no clock, no
/// randomness.
ReplicaSetPlan plan_replica_set(const ReplicaSetView& view);
inline constexpr std::int64_t kBurst = 500;

/// What went wrong with the plan.
struct ReplicaSetFailure {
  std::string reason;  // FailedCreate or FailedDelete
  std::string message;
};

struct ReplicaSetStatus {
  Json status;
  std::optional<std::chrono::milliseconds> look_again;  // when a ready pod becomes available
};

ReplicaSetStatus replica_set_status(const ReplicaSetView& view,
                                    const std::optional<ReplicaSetFailure>& failure);

}  // namespace trainyard::workloads
