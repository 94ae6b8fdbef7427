#pragma once

#include "node/linux/cgroup_driver.h"

#include <map>

namespace trainyard::node {

/// Control groups in memory, for tests of what is decided about them.
class FakeCgroups final : public CgroupDriver {
 public:
  Result<> make(const std::string& group, const ContainerLimits& limits) override {
    if (refuses) return Error(Code::kForbidden, "making the control group: Permission denied");
    groups[group] = limits;
    return Ok();
  }
  std::vector<std::filesystem::path> folders(const std::string& group,
                                             const ContainerLimits& /*limits*/) const override {
    return {std::filesystem::path("/cgroup") / group};
  }
  std::filesystem::path oom_file(const std::string& group) const override {
    return std::filesystem::path("/cgroup") / group / "memory.events";
  }
  Result<ContainerCounters> counters(const std::string& group) const override {
    ++counted;
    const auto found = used.find(group);
    if (found == used.end()) return Error(Code::kNotFound, group);
    return found->second;
  }
  std::vector<std::string> children(const std::string& group) const override {
    std::vector<std::string> names;
    for (const auto& [name, limits] : groups) {
      const std::filesystem::path path(name);
      const std::string child = group.empty()                 ? path.begin()->string()
                                : path.parent_path() == group ? path.filename().string()
                                                              : "";
      if (!child.empty() && (names.empty() || names.back() != child)) names.push_back(child);
    }
    return names;
  }
  Result<> remove(const std::string& group) override {
    std::erase_if(groups, [&](const auto& entry) {
      return entry.first == group || entry.first.starts_with(group + "/");
    });
    return Ok();
  }

  std::map<std::string, ContainerLimits> groups;
  std::map<std::string, ContainerCounters> used;
  mutable int counted = 0;  // how often somebody has asked what was used
  bool refuses = false;
};

}  // namespace trainyard::node
