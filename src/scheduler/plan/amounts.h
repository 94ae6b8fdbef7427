#pragma once

#include "object/values/quantity.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace trainyard::scheduler {

/// Amounts of resources, by the resource's number: placing compares many of them. CPU is in
/// thousandths, everything else in whole units, both rounded up as Kubernetes does.
using Amounts = std::vector<std::int64_t>;

/// Beyond this nothing is told apart; sums of thousands stay within 64 bits.
inline constexpr std::int64_t kMostAmount = std::int64_t{1} << 50;

using ResourceId = std::size_t;
inline constexpr ResourceId kCpu = 0;
inline constexpr ResourceId kMemory = 1;
inline constexpr ResourceId kPodCount = 2;  // every pod asks for one
inline constexpr ResourceId kGpu = 3;

/// Numbers the resources' names. A number once given stays.
class ResourceNames {
 public:
  ResourceNames() {
    for (const char* name : {"cpu", "memory", "pods", "nvidia.com/gpu"}) id(name);
  }
  ResourceId id(const std::string& name) {
    const auto [entry, added] = ids_.emplace(name, names_.size());
    if (added) names_.push_back(name);
    return entry->second;
  }
  const std::string& name(ResourceId id) const { return names_.at(id); }
  std::size_t size() const { return names_.size(); }

 private:
  std::map<std::string, ResourceId> ids_;
  std::vector<std::string> names_;
};

inline std::int64_t amount_of(const Amounts& amounts, ResourceId id) {
  return id < amounts.size() ? amounts[id] : 0;
}

inline void set_amount(Amounts& amounts, ResourceId id, std::int64_t value) {
  if (id >= amounts.size()) amounts.resize(id + 1);
  amounts[id] = std::min(value, kMostAmount);
}

inline std::int64_t to_amount(ResourceId id, const Quantity& quantity) {
  const std::int64_t value = id == kCpu ? quantity.as_milli() : quantity.as_integer();
  return std::clamp<std::int64_t>(value, 0, kMostAmount);
}

/// 4Gi for memory, 500m for CPU, plain numbers for the rest.
std::string amount_text(ResourceId id, std::int64_t value);

}  // namespace trainyard::scheduler
