#pragma once

#include "node/machine.h"
#include "node/node_spec.h"

#include <string_view>
#include <vector>

namespace trainyard::node {

/// The node of that name among those that this machine presents; the first for a name that is none.
const NodeSpec& node_named(const std::vector<NodeSpec>& nodes, std::string_view name);

/// What a node has for its pods.
struct Capacity {
  Quantity cpu;
  Quantity memory;
};
Capacity capacity_of(const NodeSpec& node, const Machine& machine);

}  // namespace trainyard::node
