#pragma once

#include "base/files/unique_fd.h"
#include "node/linux/cgroup_driver.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string_view>
#include <vector>

namespace trainyard::node {

/// All processes of the machine at one moment, as /proc shows them.
class ProcessTable {
 public:
  explicit ProcessTable(std::filesystem::path proc);

  /// It and all below it, itself first; nothing when there is no such process.
  std::vector<int> family_of(int pid) const;
  /// What the container of a shim has used. Processes that have ended count with whoever has waited
  /// for them, which in the end is the shim. Pages that two processes share count for both, the
  /// shim's own do not.
  ContainerCounters counters_of(const std::vector<int>& family) const;
  /// How many threads they have, without the first one's, the shim's.
  std::int64_t threads_of(const std::vector<int>& family) const;
  /// What they have read from and written to disks.
  void add_disk(const std::vector<int>& family, ContainerCounters& counters) const;
  /// The inodes of their sockets, in order, each once.
  std::vector<std::uint64_t> sockets_of(const std::vector<int>& family) const;

 private:
  struct Process {
    std::int64_t cpu_microseconds = 0;
    std::int64_t memory_bytes = 0;
    std::int64_t threads = 0;
    std::vector<int> children;
  };
  void add(int pid, std::string_view stat);

  std::filesystem::path proc_;
  UniqueFd folder_;
  std::map<int, Process> processes_;
};

}  // namespace trainyard::node
