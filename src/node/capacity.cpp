#include "node/capacity.h"

#include <algorithm>

namespace trainyard::node {

const NodeSpec& node_named(const std::vector<NodeSpec>& nodes, std::string_view name) {
  const auto found = std::find_if(nodes.begin(), nodes.end(),
                                  [&](const NodeSpec& node) { return node.name == name; });
  return found == nodes.end() ? nodes.front() : *found;
}

Capacity capacity_of(const NodeSpec& node, const Machine& machine) {
  return {node.cpu.value_or(Quantity::of(machine.cpus)),
          node.memory.value_or(Quantity::of(machine.memory_bytes))};
}

}  // namespace trainyard::node
