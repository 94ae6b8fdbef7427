#pragma once

#include <map>
#include <string>
#include <vector>

namespace trainyard::cli::arena {

/// What a monitoring system says of one GPU.
struct GpuSample {
  std::string index;
  double duty_percent = 0;
  double used_bytes = 0;
  double total_bytes = 0;
};
/// By the pod's name; several GPUs in the order of their numbers.
using GpuSamples = std::map<std::string, std::vector<GpuSample>>;

}  // namespace trainyard::cli::arena
