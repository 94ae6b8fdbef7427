#pragma once

#include "object/metadata.h"
#include "object/quantity.h"

#include <map>
#include <string>
#include <vector>

namespace trainyard::scheduler {

using Resources = std::map<std::string, Quantity>;

struct NodeView {
  std::string name;
  Resources allocatable;
  Resources used;
};

struct PodView {
  Key key;
  Resources requests;
};

/// Pods that are placed together or not at all. A pod without a group is a gang of one.
struct GangView {
  Key key;  // of the PodGroup, or of the lone pod
  std::int64_t min_members = 1;
  std::int64_t placed = 0;  // members that have a node already
  std::vector<PodView> pending;
};

struct ClusterView {
  std::vector<NodeView> nodes;
  std::vector<GangView> gangs;  // in the order in which they are served
  bool overcommit_cpu = true;   // training waits more than it computes; the kernel shares well
};

struct Placement {
  Key pod;
  std::string node;
};

struct Placed {
  Key gang;
  std::vector<Placement> pods;
};

/// A gang that has to wait, and why, in words.
struct Waiting {
  Key gang;
  std::vector<Key> pods;
  std::string reason;
  bool incomplete = false;  // members are still to be made: nothing is short
};

struct SchedulePlan {
  std::vector<Placed> placed;
  std::vector<Waiting> waiting;
};

/// Pure: the same view gives the same plan. Whole gangs, each pod on the node with the least room
/// that is enough for it.
SchedulePlan plan_placements(ClusterView view);

}  // namespace trainyard::scheduler
