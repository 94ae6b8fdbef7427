#pragma once

#include "node/linux/cgroup_driver.h"
#include "node/machine.h"
#include "object/json/json.h"

namespace trainyard::node {

/// What a container's `resources` hold it to. Pure. How many processes it may have is the
/// machine's matter: nobody writes that into a pod, and one that forks without end must not take
/// the machine with it.
ContainerLimits limits_of(const Json& container, const Machine& machine);

/// Whether the pod's containers share the CPU with those of other such pods
/// (contract/cpu_sharing.h).
bool shares_cpu(const Json& pod);

}  // namespace trainyard::node
