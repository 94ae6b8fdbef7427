#include "node/linux/cgroup_v1.h"

#include "base/files/files.h"
#include "base/files/folder_entries.h"
#include "node/linux/cgroup_files.h"

#include <algorithm>
#include <cstdlib>
#include <unistd.h>

namespace trainyard::node {
namespace {

Result<> set_memory(const std::filesystem::path& folder, std::int64_t bytes) {
  const std::string text = std::to_string(bytes);
  TRY_OK(write_setting(folder / "memory.limit_in_bytes", text));
  // Memory and swap together; only kernels that count swap have it.
  const auto with_swap = folder / "memory.memsw.limit_in_bytes";
  return is_there(with_swap) ? write_setting(with_swap, text) : Ok();
}

Result<> set_cpu(const std::filesystem::path& folder, const ContainerLimits& limits) {
  if (limits.cpu_weight_milli) {
    TRY_OK(
        write_setting(folder / "cpu.shares", std::to_string(cpu_shares(*limits.cpu_weight_milli))));
  }
  if (!limits.cpu_milli) return Ok();
  const CpuQuota quota = cpu_quota(*limits.cpu_milli);
  TRY_OK(write_setting(folder / "cpu.cfs_period_us", std::to_string(quota.period)));
  return write_setting(folder / "cpu.cfs_quota_us", std::to_string(quota.time));
}

}  // namespace

std::vector<std::filesystem::path> CgroupV1::roots() const {
  std::vector<std::filesystem::path> roots;
  for (const auto& root : {folders_.cpu, folders_.cpuacct, folders_.memory, folders_.pids}) {
    if (std::find(roots.begin(), roots.end(), root) == roots.end()) roots.push_back(root);
  }
  return roots;
}

std::vector<std::filesystem::path> CgroupV1::roots_for(const ContainerLimits& limits) const {
  std::vector<std::filesystem::path> needed = roots();
  // To enter the scheduler's hierarchy takes the kernel a millisecond.
  const bool needs_cpu = limits.cpu_milli || limits.cpu_weight_milli;
  if (!needs_cpu && folders_.cpu != folders_.cpuacct) std::erase(needed, folders_.cpu);
  return needed;
}

CgroupV1::~CgroupV1() {
  for (const auto& root : roots()) ::rmdir(root.c_str());
}

Result<> CgroupV1::make(const std::string& group, const ContainerLimits& limits) {
  if (can_share_cpu(limits)) {
    TRY_OK(
        write_setting(folders_.cpu / "cpu.shares", std::to_string(cpu_shares(all_cpus_milli()))));
  }
  for (const auto& root : roots_for(limits)) {
    std::filesystem::path folder = root;
    for (const auto& part : std::filesystem::path(group)) {
      folder /= part;
      TRY_OK(make_group(folder));
    }
  }
  TRY_OK(set_cpu(folders_.cpu / group, limits));
  if (limits.memory_bytes) TRY_OK(set_memory(folders_.memory / group, *limits.memory_bytes));
  if (limits.processes <= 0) return Ok();
  return write_setting(folders_.pids / group / "pids.max", std::to_string(limits.processes));
}

std::vector<std::filesystem::path> CgroupV1::folders(const std::string& group,
                                                     const ContainerLimits& limits) const {
  std::vector<std::filesystem::path> joined = roots_for(limits);
  for (auto& folder : joined) folder /= group;
  if (can_share_cpu(limits)) joined.push_back(folders_.cpu);  // above all others, without a limit
  return joined;
}

std::filesystem::path CgroupV1::oom_file(const std::string& group) const {
  return folders_.memory / group / "memory.oom_control";
}

Result<ContainerCounters> CgroupV1::counters(const std::string& group) const {
  ContainerCounters counters;
  TRY(const std::string nanoseconds, read_file(folders_.cpuacct / group / "cpuacct.usage"));
  TRY(const std::string used, read_file(folders_.memory / group / "memory.usage_in_bytes"));
  TRY(const std::string stat, read_file(folders_.memory / group / "memory.stat"));
  counters.cpu_microseconds = std::strtoll(nanoseconds.c_str(), nullptr, 10) / 1000;
  const std::int64_t inactive = counter_in(stat, "total_inactive_file");
  counters.memory_bytes =
      std::max<std::int64_t>(std::strtoll(used.c_str(), nullptr, 10) - inactive, 0);
  return counters;
}

std::vector<std::string> CgroupV1::children(const std::string& group) const {
  std::vector<std::string> all;
  for (const auto& root : roots()) {
    for (std::string& name : groups_in(root / group)) {
      if (std::find(all.begin(), all.end(), name) == all.end()) all.push_back(std::move(name));
    }
  }
  return all;
}

Result<> CgroupV1::remove(const std::string& group) {
  Result<> outcome = Ok();
  for (const auto& root : roots()) {
    if (auto removed = remove_group(root / group); !removed) outcome = std::move(removed);
  }
  return outcome;
}

}  // namespace trainyard::node
