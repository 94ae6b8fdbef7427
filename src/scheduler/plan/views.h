#pragma once

#include "object/values/metadata.h"
#include "scheduler/plan/needs.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace trainyard::scheduler {

/// A node as placing sees it.
struct NodeView {
  std::string name;
  JsonObject labels;
  std::vector<Taint> taints;  // also those that stand for a node that is not ready
  bool unschedulable = false;
  bool fake_gpus = false;
  Amounts allocatable;
};

struct PodView {
  Key key;
  std::string uid;
  NeedsPtr needs;
  std::shared_ptr<const JsonObject> labels;
  std::int64_t priority = 0;
  std::string created;
  std::string group;      // its PodGroup; empty: it stands alone
  std::string node;       // empty: it has none
  std::vector<int> gpus;  // which of the node's it has
  bool ended = false;
  bool being_deleted = false;
  bool gated = false;  // somebody holds it back
  bool ours = true;    // no other scheduler's
};

/// A PodGroup.
struct GroupView {
  Key key;
  std::int64_t min_members = 1;
  std::optional<std::int64_t> priority;  // absent: that of its pods
  std::string created;

  bool operator==(const GroupView&) const = default;
};

/// Pods that are placed together or not at all: those of a PodGroup, or one that stands alone.
struct GangKey {
  std::string ns;
  std::string name;  // of the group, or of the pod
  bool alone = false;
  auto operator<=>(const GangKey&) const = default;
};

inline GangKey gang_of(const PodView& pod) {
  const bool alone = pod.group.empty();
  return GangKey{pod.key.ns, alone ? pod.key.name : pod.group, alone};
}

}  // namespace trainyard::scheduler
