#include "node/usage/usage_rates.h"

#include "node/container_id.h"
#include "object/values/metadata.h"

#include <algorithm>

namespace trainyard::node {

Traffic traffic_between(const TrafficOfSockets& before, const TrafficOfSockets& after) {
  Traffic sum;
  for (const auto& [socket, now] : after) {
    const auto known = before.find(socket);
    const Traffic then = known == before.end() ? Traffic() : known->second;
    sum.received_bytes += now.received_bytes - then.received_bytes;
    sum.sent_bytes += now.sent_bytes - then.sent_bytes;
  }
  return sum;
}

std::vector<UsageTarget> running_in(const Json& pod) {
  std::vector<UsageTarget> targets;
  for (const char* list : {"status.initContainerStatuses", "status.containerStatuses"}) {
    for (const Json& status : array_at(pod, list)) {
      if (find(status, "state.running") == nullptr) continue;
      UsageTarget target{std::string(uid_of(pod)), std::string(string_at(status, "name")), 0};
      target.number = std::max(number_in(string_at(status, "containerID")), 0);
      targets.push_back(std::move(target));
    }
  }
  return targets;
}

contract::Usage usage_between(const UsageReading& earlier, const UsageReading& later) {
  const ContainerCounters& before = earlier.own;
  const ContainerCounters& after = later.own;
  const std::chrono::duration<double> window = later.time - earlier.time;
  const auto a_second = [&](std::int64_t amount) {
    // Less than before: processes have ended whose end nobody has waited for.
    if (window.count() <= 0 || amount <= 0) return std::int64_t{0};
    return static_cast<std::int64_t>(static_cast<double>(amount) / window.count());
  };
  const Traffic network = traffic_between(earlier.sockets, later.sockets);
  contract::Usage usage;
  usage.cpu_nanos = a_second((after.cpu_microseconds - before.cpu_microseconds) * 1000);
  usage.memory_bytes = after.memory_bytes;
  usage.disk_read = a_second(after.disk_read_bytes - before.disk_read_bytes);
  usage.disk_written = a_second(after.disk_written_bytes - before.disk_written_bytes);
  usage.disk_calls = a_second(after.disk_calls - before.disk_calls);
  usage.threads = after.threads;
  usage.network_received = a_second(network.received_bytes);
  usage.network_sent = a_second(network.sent_bytes);
  return usage;
}

}  // namespace trainyard::node
