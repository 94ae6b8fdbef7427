#include "node/usage/usage_reader.h"

#include "node/linux/processes.h"
#include "node/run/container_run.h"
#include "node/usage/machine_usage.h"

#include <algorithm>
#include <optional>

namespace trainyard::node {
namespace {

constexpr const char* kProc = "/proc";

TrafficOfSockets pick(const TrafficOfSockets& all, const std::vector<std::uint64_t>& sockets) {
  TrafficOfSockets picked;
  for (const std::uint64_t socket : sockets) {
    const auto found = all.find(socket);
    if (found != all.end()) picked.insert(*found);
  }
  return picked;
}

}  // namespace

std::map<UsageTarget, UsageReading> UsageReader::read(
    const std::vector<UsageTarget>& targets) const {
  std::map<UsageTarget, UsageReading> readings;
  const bool any_container = std::any_of(targets.begin(), targets.end(),
                                         [](const auto& target) { return !target.uid.empty(); });
  // Looked at once for all.
  const ProcessTable processes(any_container ? kProc : "");
  const TrafficOfSockets traffic =
      any_container ? read_tcp_traffic().value_or(TrafficOfSockets()) : TrafficOfSockets();
  for (const UsageTarget& target : targets) {
    if (target.uid.empty()) {
      if (const auto counters = read_machine_counters(kProc)) {
        readings[target] = {clock_.now(), *counters, {}};
      }
      continue;
    }
    const ContainerRun run(paths_.run(target.uid, target.container, target.number), {});
    const auto shim = run.shim_pid();
    const std::vector<int> family = shim ? processes.family_of(*shim) : std::vector<int>();
    auto grouped = cgroups_.counters(target.uid, target.container, target.number);
    const TimePoint time = clock_.now();
    if (!grouped && family.empty()) continue;
    UsageReading& reading = readings[target];
    reading.time = time;
    reading.own = grouped ? *grouped : processes.counters_of(family);
    reading.own.threads = processes.threads_of(family);
    processes.add_disk(family, reading.own);
    reading.sockets = pick(traffic, processes.sockets_of(family));
  }
  return readings;
}

}  // namespace trainyard::node
