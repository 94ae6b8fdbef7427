#pragma once

#include "node/linux/cgroup_driver.h"

#include <filesystem>

namespace trainyard::node {

/// The whole machine's, from /proc: what all CPUs have done, and the memory that is not to be had.
Result<ContainerCounters> read_machine_counters(const std::filesystem::path& proc);

}  // namespace trainyard::node
