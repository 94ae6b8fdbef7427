#pragma once

#include "node/linux/cgroup_driver.h"

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace trainyard::node {

/// What the shim is told so that a container keeps to its limits.
struct Confinement {
  std::vector<std::filesystem::path> cgroups;
  std::filesystem::path oom_file;
  std::string memory_limit;             // as its owner wrote it, for the message of an OOM kill
  std::vector<std::string> own_limits;  // instead, where there are no control groups
};

/// Which run of which container has which control group: UID/CONTAINER.N below the server's own.
/// That is all there is to know, so a server that comes back finds them again. Where control groups
/// are not to be had, each process is held to limits of its own.
class Cgroups {
 public:
  /// Those of the kernel. Servers with other data folders have theirs beside ours.
  static Cgroups open(const std::filesystem::path& data_dir);
  explicit Cgroups(std::unique_ptr<CgroupDriver> driver) : driver_(std::move(driver)) {}
  /// Without any, because of `why`.
  explicit Cgroups(const Error& why) : why_not_(why.message()) {}

  bool available() const { return driver_ != nullptr; }
  /// What does not hold without them, why there are none, and what would help, in one sentence.
  std::string why_not() const;

  /// Makes the group of a run; that of the run before goes.
  Result<Confinement> prepare(const std::string& uid, const std::string& container, int number,
                              const ContainerLimits& limits);
  Result<ContainerCounters> counters(const std::string& uid, const std::string& container,
                                     int number) const;
  /// All of a pod, when its processes have ended. An error: the kernel thinks that they have not.
  Result<> remove_pod(const std::string& uid);
  /// Those of pods that are none of `known`.
  void remove_others(const std::set<std::string>& known);

 private:
  std::unique_ptr<CgroupDriver> driver_;
  std::string why_not_;
};

}  // namespace trainyard::node
