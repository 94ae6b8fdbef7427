#pragma once

/// What is used of NVML's interface, which is stable: functions are named with their version.
namespace trainyard::node::nvml {

using Device = struct OpaqueDevice*;
struct Memory {
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;
};
inline constexpr int kSuccess = 0;

}  // namespace trainyard::node::nvml
