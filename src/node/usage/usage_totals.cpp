#include "node/usage/usage_totals.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace trainyard::node {
namespace {

using monitor::MetricsText;
using Type = MetricsText::Type;

struct ContainerFamily {
  const char* name;
  Type type;
  const char* help;
  double (*value)(const ContainerTotals&);
};

constexpr ContainerFamily kContainerFamilies[] = {
    {"container_cpu_usage_seconds_total", Type::kCounter,
     "CPU time that the container has used, in seconds.",
     [](const ContainerTotals& one) { return one.cpu_seconds; }},
    {"container_memory_working_set_bytes", Type::kGauge,
     "Memory that the container uses, without page cache that can go at once.",
     [](const ContainerTotals& one) { return static_cast<double>(one.memory_bytes); }},
    {"container_fs_reads_bytes_total", Type::kCounter,
     "Bytes that the container's processes have read from disks.",
     [](const ContainerTotals& one) { return static_cast<double>(one.disk_read_bytes); }},
    {"container_fs_writes_bytes_total", Type::kCounter,
     "Bytes that the container's processes have written to disks.",
     [](const ContainerTotals& one) { return static_cast<double>(one.disk_written_bytes); }},
    {"container_network_receive_bytes_total", Type::kCounter,
     "Bytes that the container has received over TCP since this server follows it.",
     [](const ContainerTotals& one) { return static_cast<double>(one.received_bytes); }},
    {"container_network_transmit_bytes_total", Type::kCounter,
     "Bytes that the container has sent over TCP since this server follows it.",
     [](const ContainerTotals& one) { return static_cast<double>(one.sent_bytes); }},
    {"container_threads", Type::kGauge, "Threads of the container's processes.",
     [](const ContainerTotals& one) { return static_cast<double>(one.threads); }},
};

struct GpuFamily {
  const char* name;
  const char* help;
  float GpuUsage::* value;
};

constexpr GpuFamily kGpuFamilies[] = {
    {"nvidia_gpu_duty_cycle", "Percent of the time in which the GPU computed.",
     &GpuUsage::utilization},
    {"nvidia_gpu_memory_used_bytes", "Memory of the GPU that is in use.", &GpuUsage::memory_used},
    {"nvidia_gpu_temperature_celsius", "Temperature of the GPU.", &GpuUsage::temperature},
    {"nvidia_gpu_power_usage_watts", "Power that the GPU draws.", &GpuUsage::power},
};

void write_gpus(MetricsText& metrics, std::span<const ContainerTotals> all) {
  for (const GpuFamily& family : kGpuFamilies) {
    metrics.family(family.name, Type::kGauge, family.help);
    for (const ContainerTotals& one : all) {
      for (const auto& [number, usage] : one.gpus) {
        const float value = usage.*family.value;
        if (std::isnan(value)) continue;  // its driver does not tell
        metrics.sample({{"namespace", one.pod.ns},
                        {"pod_name", one.pod.name},
                        {"node_name", one.node},
                        {"minor_number", fmt::to_string(number)}},
                       static_cast<double>(value));
      }
    }
  }
}

}  // namespace

void write_usage(MetricsText& metrics, const std::vector<ContainerTotals>& all, std::size_t most) {
  const std::span<const ContainerTotals> told(all.data(), std::min(all.size(), most));
  for (const ContainerFamily& family : kContainerFamilies) {
    metrics.family(family.name, family.type, family.help);
    for (const ContainerTotals& one : told) {
      const std::array<MetricsText::Label, 6> labels{{{"namespace", one.pod.ns},
                                                      {"pod", one.pod.name},
                                                      {"container", one.container},
                                                      {"node", one.node},
                                                      {"job_kind", one.owner.kind},
                                                      {"job_name", one.owner.name}}};
      metrics.sample(labels, family.value(one));
    }
  }
  write_gpus(metrics, told);
  metrics.one("trainyard_usage_containers_left_out", Type::kGauge,
              "Containers that run and are not told of, since there are too many.",
              static_cast<double>(all.size() - told.size()));
}

}  // namespace trainyard::node
