#pragma once

#include "cli/arena/nodes/node_facts.h"

#include <optional>
#include <string>
#include <vector>

/// `arena top node`: nodes and how many of their GPUs are given out.
namespace trainyard::cli::arena {

struct NodeUse {
  ObjectPtr node;
  std::vector<ObjectPtr> gpu_pods;  // that hold GPUs of it, by namespace and name

  const Json& body() const { return node->body(); }
  std::int64_t total() const { return node_gpus(body()); }
  std::int64_t allocated() const;
  std::int64_t unhealthy() const;
};

/// Which pods hold GPUs of which node. Pods that have ended hold none.
std::vector<NodeUse> node_uses(const std::vector<ObjectPtr>& nodes,
                               const std::vector<ObjectPtr>& pods);

/// Keeps those that are named, and those of that mode. An error when a name is not there.
Result<std::vector<NodeUse>> choose_nodes(std::vector<NodeUse> uses,
                                          const std::vector<std::string>& names,
                                          std::optional<GpuMode> mode);
/// n, e, t or s, or the whole word; nothing for an empty word.
Result<std::optional<GpuMode>> parse_gpu_mode(const std::string& word);

/// `totals` adds the sums over the cluster.
std::string node_table(const std::vector<NodeUse>& uses, bool totals);
std::string wide_node_table(std::vector<NodeUse> uses, bool totals);
/// A paragraph a node, with the pods that have its GPUs.
std::string node_details(const std::vector<NodeUse>& uses);
/// The schema of -o json.
Json nodes_json(const std::vector<NodeUse>& uses);

}  // namespace trainyard::cli::arena
