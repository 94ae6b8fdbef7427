#pragma once

#include "base/clock.h"
#include "node/config.h"
#include "node/limits/cgroups.h"
#include "node/linux/tcp_traffic.h"

#include <map>
#include <string>
#include <vector>

namespace trainyard::node {

/// A container that runs, or, without a uid, the whole machine.
struct UsageTarget {
  std::string uid;
  std::string container;
  int number = 0;
  auto operator<=>(const UsageTarget&) const = default;
};

/// What it had used at a moment.
struct UsageReading {
  TimePoint time;
  ContainerCounters own;
  TrafficOfSockets sockets;  // those that are open
};

/// Reads what containers have used: CPU and memory from their control groups, or, where there are
/// none, from their processes; disks and network always from those. Keeps nothing, so any thread
/// may ask.
class UsageReader {
 public:
  UsageReader(const Clock& clock, const NodeConfig& config, const Cgroups& cgroups)
      : clock_(clock), paths_(config.data_dir), cgroups_(cgroups) {}

  /// Those that run no more are left out. Each has the time at which it was read itself: on a busy
  /// machine that can be long after somebody has asked.
  std::map<UsageTarget, UsageReading> read(const std::vector<UsageTarget>& targets) const;

 private:
  const Clock& clock_;
  Paths paths_;
  const Cgroups& cgroups_;
};

}  // namespace trainyard::node
