#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace trainyard::node {

/// A GPU as NVIDIA's driver tells of it; its number is its place in the list.
struct Gpu {
  std::string name;
  std::string uuid;
  std::int64_t memory_bytes = 0;
};

/// The machine's GPUs, by the driver's own library, which is looked for when the program runs.
/// Without the library there are none; kUnavailable when it is there and does not work.
Result<std::vector<Gpu>> find_gpus(const std::string& library = "libnvidia-ml.so.1");

}  // namespace trainyard::node
