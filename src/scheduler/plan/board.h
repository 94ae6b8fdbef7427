#pragma once

#include "scheduler/plan/cluster.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace trainyard::scheduler {

struct Rules {
  bool overcommit_cpu = true;  // training waits more than it computes; the kernel shares well
  bool overcommit_memory = false;
};

/// The nodes' free room while a plan is made: pods are put down and taken up again. Copied where
/// something is only tried.
class Board {
 public:
  using Index = std::size_t;  // of a node, in the order of names
  struct Put {
    const PodView* pod = nullptr;
    Index node = 0;
  };

  Board(const Cluster& cluster, Rules rules);

  const Cluster& cluster() const { return *cluster_; }
  std::size_t size() const { return nodes_.size(); }
  const NodeView& node(Index index) const { return *nodes_[index]; }
  std::optional<Index> find(const std::string& name) const;
  bool counts(ResourceId resource) const {
    return !(resource == kCpu && rules_.overcommit_cpu) &&
           !(resource == kMemory && rules_.overcommit_memory);
  }
  std::int64_t free(Index index, ResourceId resource) const {
    return resource < width_ ? free_[index * width_ + resource] : 0;
  }
  std::int64_t all(Index index, ResourceId resource) const {
    return amount_of(nodes_[index]->allocatable, resource);
  }
  /// How many such pods the node still takes.
  std::int64_t fits(Index index, const Needs& needs) const;
  /// The free share of all that counts, summed: the smallest is the fullest node.
  double roominess(Index index) const;
  /// Whether the node has devices that the pod has no use for.
  bool wastes(Index index, const Needs& needs) const;

  void put(const PodView& pod, Index node);
  /// Takes the last pods up again until so many are left.
  void take_up_to(std::size_t count);
  const std::vector<Put>& put_down() const { return puts_; }
  /// Whether anything placed or put down keeps other pods away from itself.
  bool has_loners() const { return loners_put_ > 0 || !cluster_->loners().empty(); }
  /// As if a pod there had ended.
  void release(const Put& put) { add(put.node, put.pod->needs->requests, 1); }
  /// As if nothing ran.
  void release_all();

 private:
  void add(Index node, const Amounts& amounts, std::int64_t sign);

  const Cluster* cluster_;
  Rules rules_;
  std::size_t width_;
  std::vector<ResourceId> devices_;  // what only some nodes have, such as GPUs
  std::vector<const NodeView*> nodes_;
  std::vector<std::int64_t> free_;  // a row a node
  std::vector<Put> puts_;
  std::size_t loners_put_ = 0;
};

}  // namespace trainyard::scheduler
