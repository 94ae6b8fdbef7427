#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace trainyard::node {

/// How a GPU is used at a moment; NaN for what its driver does not tell.
struct GpuUsage {
  float utilization = 0;   // percent of the time in which it computed
  float temperature = 0;   // degrees Celsius
  float power = 0;         // watts
  float memory_share = 0;  // percent of its memory that is in use
  float memory_used = 0;   // bytes
  float sm_clock = 0;      // megahertz
};

/// Asks NVIDIA's driver how GPUs are used. Its library stays open from the first question on, since
/// opening it takes longer than all questions. One thread at a time.
class GpuMeter {
 public:
  explicit GpuMeter(std::string library = "libnvidia-ml.so.1");
  ~GpuMeter();
  GpuMeter(const GpuMeter&) = delete;
  GpuMeter& operator=(const GpuMeter&) = delete;

  /// One entry a number, in their order; all NaN where the driver tells nothing.
  std::vector<GpuUsage> read(const std::vector<int>& numbers);

 private:
  struct Driver;
  std::string library_;
  bool tried_ = false;
  std::unique_ptr<Driver> driver_;  // null: there is none
};

}  // namespace trainyard::node
