#pragma once

#include "base/async.h"
#include "base/clock.h"
#include "object/values/metadata.h"

#include <cstdint>
#include <string>
#include <vector>

namespace trainyard::contract {

struct Usage {
  std::int64_t cpu_nanos = 0;     // billionths of a CPU, over the window
  std::int64_t memory_bytes = 0;  // working set, at the end of it
  // Bytes a second, over the window; the network's are those of TCP.
  std::int64_t disk_read = 0;
  std::int64_t disk_written = 0;
  std::int64_t network_received = 0;
  std::int64_t network_sent = 0;
  // A second: calls that read or write files. The kernel counts no disk operations of a process.
  std::int64_t disk_calls = 0;
  std::int64_t threads = 0;  // of all processes, at the end of the window

  Usage& operator+=(const Usage& other) {
    cpu_nanos += other.cpu_nanos;
    memory_bytes += other.memory_bytes;
    disk_read += other.disk_read;
    disk_written += other.disk_written;
    network_received += other.network_received;
    network_sent += other.network_sent;
    disk_calls += other.disk_calls;
    threads += other.threads;
    return *this;
  }
};

struct ContainerUsage {
  std::string name;
  Usage usage;
};

struct PodUsage {
  ObjectPtr pod;
  std::vector<ContainerUsage> containers;  // those that run
};

struct NodeUsage {
  ObjectPtr node;
  Usage usage;  // CPU and memory only
};

/// What was measured, until when and for how long.
template <class Item>
struct Measured {
  WallTime time;
  std::chrono::nanoseconds window{};
  std::vector<Item> items;
};

/// What pods and nodes use at the moment. The node measures it; the server passes it on.
class UsageSource {
 public:
  virtual ~UsageSource() = default;
  /// Pods of which nothing runs are left out.
  virtual awaitable<Measured<PodUsage>> measure_pods(std::vector<ObjectPtr> pods) = 0;
  virtual awaitable<Measured<NodeUsage>> measure_nodes(std::vector<ObjectPtr> nodes) = 0;
};

}  // namespace trainyard::contract
