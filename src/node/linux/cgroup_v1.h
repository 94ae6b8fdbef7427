#pragma once

#include "node/linux/cgroup_driver.h"

namespace trainyard::node {

/// Version 1: a hierarchy for each controller; several may share one.
class CgroupV1 final : public CgroupDriver {
 public:
  /// The server's own group in each hierarchy; they exist.
  struct Folders {
    std::filesystem::path cpu;
    std::filesystem::path cpuacct;
    std::filesystem::path memory;
    std::filesystem::path pids;
  };
  explicit CgroupV1(Folders folders) : folders_(std::move(folders)) {}

  /// Its own groups go, unless something is still in them.
  ~CgroupV1() override;
  CgroupV1(const CgroupV1&) = delete;
  CgroupV1& operator=(const CgroupV1&) = delete;

  Result<> make(const std::string& group, const ContainerLimits& limits) override;
  std::vector<std::filesystem::path> folders(const std::string& group,
                                             const ContainerLimits& limits) const override;
  std::filesystem::path oom_file(const std::string& group) const override;
  Result<ContainerCounters> counters(const std::string& group) const override;
  std::vector<std::string> children(const std::string& group) const override;
  Result<> remove(const std::string& group) override;

 private:
  std::vector<std::filesystem::path> roots() const;
  /// Those in which a container with these limits has a group.
  std::vector<std::filesystem::path> roots_for(const ContainerLimits& limits) const;
  /// Where usage is counted by the scheduler's groups, each container needs one of its own.
  bool can_share_cpu(const ContainerLimits& limits) const {
    return limits.shares_cpu && folders_.cpu != folders_.cpuacct;
  }
  Folders folders_;
};

}  // namespace trainyard::node
