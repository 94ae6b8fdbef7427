#include "node/linux/cgroup_v2.h"

#include "base/files/files.h"
#include "base/files/folder_entries.h"
#include "node/linux/cgroup_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <unistd.h>

namespace trainyard::node {

Result<> pass_controllers_on(const std::filesystem::path& folder, bool cpu) {
  return write_setting(folder / "cgroup.subtree_control",
                       cpu ? "+cpu +memory +pids" : "+memory +pids");
}

CgroupV2::~CgroupV2() {
  ::rmdir(shared_.c_str());
  ::rmdir(folder_.c_str());
}

std::filesystem::path CgroupV2::find(const std::string& group) const {
  const std::filesystem::path shared = shared_ / *std::filesystem::path(group).begin();
  return (is_there(shared) ? shared_ : folder_) / group;
}

Result<> CgroupV2::make(const std::string& group, const ContainerLimits& limits) {
  std::filesystem::path folder = folder_;
  if (limits.shares_cpu) {
    TRY_OK(pass_controllers_on(folder_));
    TRY_OK(make_group(shared_));
    TRY_OK(write_setting(shared_ / "cpu.weight", std::to_string(cpu_weight(all_cpus_milli()))));
    folder = shared_;
  }
  for (const auto& part : std::filesystem::path(group)) {
    TRY_OK(pass_controllers_on(folder, !limits.shares_cpu));
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
    if (is_there(swap)) TRY_OK(write_setting(swap, "0"));
  }
  if (limits.processes <= 0) return Ok();
  return write_setting(folder / "pids.max", std::to_string(limits.processes));
}

std::vector<std::filesystem::path> CgroupV2::folders(const std::string& group,
                                                     const ContainerLimits& /*limits*/) const {
  return {find(group)};
}

std::filesystem::path CgroupV2::oom_file(const std::string& group) const {
  return find(group) / "memory.events";
}

Result<ContainerCounters> CgroupV2::counters(const std::string& group) const {
  ContainerCounters counters;
  const std::filesystem::path folder = find(group);
  TRY(const std::string cpu, read_file(folder / "cpu.stat"));
  TRY(const std::string used, read_file(folder / "memory.current"));
  TRY(const std::string memory, read_file(folder / "memory.stat"));
  counters.cpu_microseconds = counter_in(cpu, "usage_usec");
  counters.memory_bytes = std::max<std::int64_t>(
      std::strtoll(used.c_str(), nullptr, 10) - counter_in(memory, "inactive_file"), 0);
  return counters;
}

std::vector<std::string> CgroupV2::children(const std::string& group) const {
  if (!group.empty()) return groups_in(find(group));
  std::vector<std::string> all = groups_in(folder_);
  std::erase(all, shared_.filename().string());
  for (std::string& name : groups_in(shared_)) all.push_back(std::move(name));
  return all;
}

Result<> CgroupV2::remove(const std::string& group) {
  return remove_group(find(group));
}

}  // namespace trainyard::node
