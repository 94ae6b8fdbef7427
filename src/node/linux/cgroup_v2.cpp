#include "node/linux/cgroup_v2.h"

#include "base/files.h"
#include "node/linux/cgroup_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <unistd.h>

namespace trainyard::node {

Result<> pass_controllers_on(const std::filesystem::path& folder) {
  return write_setting(folder / "cgroup.subtree_control", "+cpu +memory +pids");
}

CgroupV2::~CgroupV2() {
  ::rmdir(folder_.c_str());
}

Result<> CgroupV2::make(const std::string& group, const ContainerLimits& limits) {
  std::filesystem::path folder = folder_;
  for (const auto& part : std::filesystem::path(group)) {
    TRY_OK(pass_controllers_on(folder));
    folder /= part;
    TRY_OK(make_group(folder));
  }
  if (limits.cpu_weight_milli) {
    TRY_OK(
        write_setting(folder / "cpu.weight", std::to_string(cpu_weight(*limits.cpu_weight_milli))));
  }
  if (limits.cpu_milli) {
    const CpuQuota quota = cpu_quota(*limits.cpu_milli);
    TRY_OK(write_setting(folder / "cpu.max", fmt::format("{} {}", quota.time, quota.period)));
  }
  if (limits.memory_bytes) {
    TRY_OK(write_setting(folder / "memory.max", std::to_string(*limits.memory_bytes)));
    // A container that has lost one of its processes at random is worse than one that has ended.
    TRY_OK(write_setting(folder / "memory.oom.group", "1"));
    const auto swap = folder / "memory.swap.max";  // only kernels with swap have it
    if (std::filesystem::exists(swap)) TRY_OK(write_setting(swap, "0"));
  }
  if (limits.processes <= 0) return Ok();
  return write_setting(folder / "pids.max", std::to_string(limits.processes));
}

std::vector<std::filesystem::path> CgroupV2::folders(const std::string& group,
                                                     const ContainerLimits& /*limits*/) const {
  return {folder_ / group};
}

std::filesystem::path CgroupV2::oom_file(const std::string& group) const {
  return folder_ / group / "memory.events";
}

Result<ContainerCounters> CgroupV2::counters(const std::string& group) const {
  ContainerCounters counters;
  TRY(const std::string cpu, read_file(folder_ / group / "cpu.stat"));
  TRY(const std::string used, read_file(folder_ / group / "memory.current"));
  TRY(const std::string memory, read_file(folder_ / group / "memory.stat"));
  counters.cpu_microseconds = counter_in(cpu, "usage_usec");
  counters.memory_bytes = std::max<std::int64_t>(
      std::strtoll(used.c_str(), nullptr, 10) - counter_in(memory, "inactive_file"), 0);
  return counters;
}

std::vector<std::string> CgroupV2::children(const std::string& group) const {
  return groups_in(folder_ / group);
}

Result<> CgroupV2::remove(const std::string& group) {
  return remove_group(folder_ / group);
}

}  // namespace trainyard::node
