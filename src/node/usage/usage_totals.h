#pragma once

#include "monitor/metrics_text.h"
#include "node/linux/gpu_meter.h"
#include "node/usage/recorded_pod.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace trainyard::node {

/// What a container that runs has used so far, and holds.
struct ContainerTotals {
  Key pod;
  std::string node;
  std::string container;
  RecordedPod::Owner owner;  // the first; without a name: nobody
  double cpu_seconds = 0;
  std::int64_t memory_bytes = 0;
  std::int64_t disk_read_bytes = 0;
  std::int64_t disk_written_bytes = 0;
  std::int64_t received_bytes = 0;  // while this server was there
  std::int64_t sent_bytes = 0;
  std::int64_t threads = 0;
  std::map<int, GpuUsage> gpus;  // of the pod, with its first container
};

/// For Prometheus, with the names that Kubernetes' nodes and NVIDIA's exporters give them. Of more
/// than `most` containers the rest is only counted.
void write_usage(monitor::MetricsText& metrics, const std::vector<ContainerTotals>& all,
                 std::size_t most = 5000);

}  // namespace trainyard::node
