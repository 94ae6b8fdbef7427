#pragma once

#include "object/values/quantity.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace trainyard::node {

/// A node that this machine presents. Several share the machine; pods are placed as if each were a
/// machine of its own.
struct NodeSpec {
  std::string name = "node-0";
  std::string address = "127.65.0.1";         // its InternalIP
  std::map<std::string, std::string> labels;  // beside those that every node has
  std::optional<Quantity> cpu;                // absent: what the machine has
  std::optional<Quantity> memory;
  std::int64_t gpus = 0;
  std::int64_t first_gpu = 0;  // of the machine's, where several nodes share them out
  bool fake_gpus = false;      // there are no such devices: for trying and tests
  std::int64_t pods = 1000;
};

/// What `up` was told of nodes and GPUs.
struct NodeFlags {
  std::string nodes;                     // --nodes; empty: one node
  std::optional<std::string> fake_gpus;  // --fake-gpus; empty when it came without a number
  std::int64_t found_gpus = 0;           // real ones
};

/// Reads --nodes '3*role=master;3*gpu=2,cpu=8,memory=32Gi': groups of equal nodes, each
/// [COUNT*]KEY=VALUE,… where cpu, memory, gpu and pods are amounts and every other key is a label.
/// --fake-gpus N gives N GPUs to each node that does not say how many it has. Without it, real GPUs
/// go to the nodes that ask for some; all of them to a node that is the only one.
Result<std::vector<NodeSpec>> read_nodes(const NodeFlags& flags);

}  // namespace trainyard::node
