#pragma once

#include "base/clock.h"
#include "node/machine.h"
#include "node/node_spec.h"
#include "object/values/metadata.h"

namespace trainyard::node {

/// On every Node of ours: the machine's host name. Nodes of this machine that are presented no
/// longer are found by it.
inline constexpr const char* kMachineAnnotation = "trainyard.dev/machine";
/// On a Node whose GPUs are not there: the scheduler's advice differs.
inline constexpr const char* kFakeGpusAnnotation = "trainyard.dev/fake-gpus";

/// The Node as it is created.
Json make_node(const NodeSpec& spec, const Machine& machine);
/// A merge patch that brings a Node which exists already to what `spec` says. Labels that an
/// earlier --nodes gave, and this one does not, go; those that somebody else gave stay.
Json node_update(const Json& existing, const NodeSpec& spec, const Machine& machine);
/// `before`: the Node's last status; the time since which it has been ready is kept.
Json node_status(const NodeSpec& spec, const Machine& machine, const Json& before, WallTime now);

/// The Lease that says that the node lives, and until when that can be believed.
Json make_lease(const Json& node, WallTime now);

}  // namespace trainyard::node
