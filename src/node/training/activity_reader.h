#pragma once

#include "client/pod_stacks.h"
#include "monitor/progress/progress.h"
#include "node/config.h"
#include "node/training/rank_processes.h"
#include "node/training/rank_watch.h"
#include "node/usage/usage_reader.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace trainyard::node {

/// A rank of a container that runs, as it is now.
struct RankReading {
  UsageTarget target;
  RankProcess process;
  RankSample sample;
  bool disturbed = false;  // it was asked for its stack since it was last read
};

/// Where a rank is, in words and by its stack.
struct RankPlace {
  std::string waits;
  std::vector<contract::ThreadStack> threads;
  std::string no_python;
};

/// Reads what the ranks of this machine do: /proc once for all. Blocks, and remembers what it need
/// not read twice, so it is used by one thread at a time, not the loop's.
class ActivityReader {
 public:
  ActivityReader(const Clock& clock, const NodeConfig& config, std::filesystem::path proc = "/proc")
      : clock_(clock), paths_(config.data_dir), proc_(std::move(proc)) {}

  /// In the order of the targets. Those that run no more are left out.
  std::vector<RankReading> read(const std::vector<UsageTarget>& targets);
  /// How far the logs of containers say that they are.
  std::vector<std::optional<monitor::Progress>> read_logs(
      const std::vector<UsageTarget>& targets) const;
  /// Asks a process where it is, which takes some milliseconds of its time, and up to half a second
  /// of ours.
  RankPlace locate(const RankProcess& process);
  /// Of everything that runs in these containers.
  std::vector<client::ProcessStack> take_stacks(const std::vector<UsageTarget>& targets);

 private:
  using ProcessId = std::pair<int, std::uint64_t>;
  std::vector<RankProcess> ranks_of(const ProcessStates& processes, const UsageTarget& target);
  RankVariables variables_of(const ProcessStates& processes, int pid);
  RankSample look(const ProcessStates& processes, const RankProcess& rank) const;
  void forget_others(const ProcessStates& processes);

  const Clock& clock_;
  Paths paths_;
  std::filesystem::path proc_;
  std::map<ProcessId, RankVariables> variables_;
  std::map<ProcessId, RankSample> last_;
  std::set<ProcessId> disturbed_;
};

}  // namespace trainyard::node
