#pragma once

#include "object/values/metadata.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace trainyard::workloads {

/// A Deployment's spec, with its defaults and its percentages resolved.
struct RolloutForm {
  std::int64_t replicas = 1;
  bool recreate = false;
  std::int64_t max_surge = 0;
  std::int64_t max_unavailable = 0;  // never more than replicas
  bool paused = false;
  std::int64_t min_ready = 0;
  std::int64_t history_limit = 10;
  std::int64_t deadline = 600;
  bool has_deadline = true;
};

RolloutForm read_rollout(const Json& deployment);

/// One ReplicaSet of a Deployment, as a decision sees it.
struct SetSize {
  std::string uid;
  std::int64_t replicas = 0;      // spec.replicas
  std::int64_t active = 0;        // so many pods it has now
  std::int64_t available = 0;     // and so many of them are available
  std::int64_t max_replicas = 0;  // its annotation: what it was a share of; 0: not there
  std::string created;            // orders as time
};

/// The new sizes, by uid, of those that change.
using Sizes = std::map<std::string, std::int64_t>;

/// How large the new set may be now: never more pods in all than replicas + max_surge. `others`:
/// the pods that the other sets have or may still make.
std::int64_t new_set_size(const RolloutForm& form, std::int64_t now, std::int64_t others);

/// Which old sets give pods up: first those that do not work, then as many as can be spared.
Sizes shrink_old_sets(const RolloutForm& form, const SetSize& new_set,
                      std::vector<SetSize> old_sets);

/// When the Deployment was scaled in the middle of a rollout: every set gets its share.
Sizes scale_in_proportion(const RolloutForm& form, std::vector<SetSize> sets);

}  // namespace trainyard::workloads
