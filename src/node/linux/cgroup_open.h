#pragma once

#include "node/linux/cgroup_driver.h"
#include "node/linux/cgroup_files.h"

namespace trainyard::node {

/// open_cgroups() where these are mounted, for a process whose /proc/self/cgroup says `own`.
Result<std::unique_ptr<CgroupDriver>> open_cgroups_of(const std::vector<CgroupMount>& mounts,
                                                      const std::string& own,
                                                      const std::string& name);

}  // namespace trainyard::node
