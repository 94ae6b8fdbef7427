#pragma once

#include "scheduler/plan/views.h"

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace trainyard::scheduler {

/// Everything that the scheduler knows, kept up to date change by change, so that no decision has
/// to begin with a look at every pod. Holds no opinions: plan/placement.h decides.
class Cluster {
 public:
  struct Node {
    std::optional<NodeView> view;   // absent: there is none, only pods that name it
    Amounts used;                   // by pods that have not ended
    std::set<const PodView*> pods;  // those pods
  };
  struct Gang {
    std::optional<GroupView> group;
    std::map<Key, const PodView*> pending;
    std::set<const PodView*> placed;  // have a node, also those that have ended there
  };

  ResourceNames& resources() { return resources_; }
  const ResourceNames& resources() const { return resources_; }

  void set_node(NodeView node);
  void remove_node(const std::string& name);
  void set_pod(PodView pod);
  void remove_pod(const Key& key);
  void set_group(GroupView group);
  void remove_group(const Key& key);

  const std::map<std::string, Node>& nodes() const { return nodes_; }
  /// Null when there is none.
  const NodeView* find_node(const std::string& name) const;
  const PodView* find_pod(const Key& key) const;
  const Gang* find_gang(const GangKey& key) const;
  /// Those with pods that have no node yet.
  const std::set<GangKey>& waiting() const { return waiting_; }
  /// Placed pods that keep others away from themselves.
  const std::set<const PodView*>& loners() const { return loners_; }
  /// Pods that came with their node, and whose GPUs nobody has numbered yet.
  const std::set<const PodView*>& unnumbered() const { return unnumbered_; }

 private:
  void count(const PodView& pod);
  void uncount(const PodView& pod);
  void tidy(const GangKey& key);

  ResourceNames resources_;
  std::map<std::string, Node> nodes_;
  std::map<Key, PodView> pods_;  // a pod stays where it is in memory while it exists
  std::map<GangKey, Gang> gangs_;
  std::set<GangKey> waiting_;
  std::set<const PodView*> loners_;
  std::set<const PodView*> unnumbered_;
};

}  // namespace trainyard::scheduler
