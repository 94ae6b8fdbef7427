#pragma once

#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace trainyard::node {

/// What a container is held to.
struct ContainerLimits {
  std::optional<std::int64_t> cpu_milli;         // no more than that, in thousandths of a CPU
  std::optional<std::int64_t> cpu_weight_milli;  // its part when CPUs are short: what it requests
  bool shares_cpu = false;  // with all others that say so, instead of a part of its own
  std::optional<std::int64_t> memory_bytes;
  std::string memory_text;  // as the pod's owner wrote it
  std::int64_t processes = 0;
};

/// What a container has used since it began, and holds now.
struct ContainerCounters {
  std::int64_t cpu_microseconds = 0;
  std::int64_t memory_bytes = 0;  // working set: without the page cache that can go at once
  // Not from control groups: those of disks would take each start longer, and more rights.
  std::int64_t disk_read_bytes = 0;
  std::int64_t disk_written_bytes = 0;
  std::int64_t disk_calls = 0;  // to read or to write, whether a disk had to move for it or not
  std::int64_t threads = 0;     // that live, of all processes
};

/// Control groups as the kernel has them, of one version. A group is named by its path below the
/// server's own, such as UID/CONTAINER.0. Errors are those of the file system, with the path.
class CgroupDriver {
 public:
  virtual ~CgroupDriver() = default;
  /// Makes the group, and those above it. One that exists gets the limits.
  virtual Result<> make(const std::string& group, const ContainerLimits& limits) = 0;
  /// The folders whose cgroup.procs a process must be written to; one in each hierarchy.
  virtual std::vector<std::filesystem::path> folders(const std::string& group,
                                                     const ContainerLimits& limits) const = 0;
  /// The file whose line `oom_kill N` counts who was killed for want of memory.
  virtual std::filesystem::path oom_file(const std::string& group) const = 0;
  /// kNotFound: there is no such group.
  virtual Result<ContainerCounters> counters(const std::string& group) const = 0;
  /// Groups right below this one.
  virtual std::vector<std::string> children(const std::string& group) const = 0;
  /// Removes it and what is below. Processes in it: an error. Nothing there: Ok.
  virtual Result<> remove(const std::string& group) = 0;
};

/// The kernel's own, of the version that it has mounted, with a group `name` for all that is made.
/// An error says why this process may not have any.
Result<std::unique_ptr<CgroupDriver>> open_cgroups(const std::string& name);

}  // namespace trainyard::node
