#pragma once

#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard::node {

/// Where a hierarchy of control groups is mounted.
struct CgroupMount {
  bool unified = false;  // version 2
  std::filesystem::path point;
  std::vector<std::string> controllers;  // of version 1: cpu, memory, …
};

/// The control groups of a /proc/self/mountinfo, in its order.
std::vector<CgroupMount> parse_cgroup_mounts(std::string_view mountinfo);
/// This process's group of version 2, from /proc/self/cgroup; "/" when it does not say.
std::string parse_own_group(std::string_view cgroup);

/// The number in the line `KEY NUMBER` of a file such as memory.stat; 0 when there is none.
std::int64_t counter_in(std::string_view text, std::string_view key);

/// Writes one setting into a file of a control group.
Result<> write_setting(const std::filesystem::path& file, std::string_view value);
Result<> make_group(const std::filesystem::path& folder);
/// Its files go with it; the groups below go first.
Result<> remove_group(const std::filesystem::path& folder);
std::vector<std::string> groups_in(const std::filesystem::path& folder);

/// What `cpu_milli` is in the kernel's words: that much time in each period, in microseconds.
struct CpuQuota {
  std::int64_t time = 0;
  std::int64_t period = 0;
};
CpuQuota cpu_quota(std::int64_t cpu_milli);
/// cpu.shares of version 1, and the same part as cpu.weight of version 2.
std::int64_t cpu_shares(std::int64_t cpu_milli);
/// All that the machine has.
std::int64_t all_cpus_milli();
std::int64_t cpu_weight(std::int64_t cpu_milli);

}  // namespace trainyard::node
