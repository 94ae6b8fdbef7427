#pragma once

#include "node/linux/cgroup_driver.h"

namespace trainyard::node {

/// Version 2: one hierarchy for all controllers.
class CgroupV2 final : public CgroupDriver {
 public:
  /// `folder`: the server's own group; it exists, and has the controllers cpu, memory and pids.
  explicit CgroupV2(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// Its own groups go, unless something is still in them.
  ~CgroupV2() override;
  CgroupV2(const CgroupV2&) = delete;
  CgroupV2& operator=(const CgroupV2&) = delete;

  Result<> make(const std::string& group, const ContainerLimits& limits) override;
  std::vector<std::filesystem::path> folders(const std::string& group,
                                             const ContainerLimits& limits) const override;
  std::filesystem::path oom_file(const std::string& group) const override;
  Result<ContainerCounters> counters(const std::string& group) const override;
  std::vector<std::string> children(const std::string& group) const override;
  Result<> remove(const std::string& group) override;

 private:
  /// Where the group is, or would be.
  std::filesystem::path find(const std::string& group) const;
  std::filesystem::path folder_;
  /// Those of pods that share the CPU: below it, the scheduler has no groups.
  std::filesystem::path shared_ = folder_ / "shared";
};

/// Lets the groups below use the controllers.
Result<> pass_controllers_on(const std::filesystem::path& folder, bool cpu = true);

}  // namespace trainyard::node
