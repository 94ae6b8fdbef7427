#include "scheduler/plan/amounts.h"

#include <fmt/format.h>

#include <iterator>

namespace trainyard::scheduler {

std::string amount_text(ResourceId id, std::int64_t value) {
  if (id == kCpu) {
    return value % 1000 == 0 ? std::to_string(value / 1000) : fmt::format("{}m", value);
  }
  if (id != kMemory) return std::to_string(value);
  constexpr const char* kUnits[] = {"Ki", "Mi", "Gi", "Ti"};
  auto size = static_cast<double>(value) / 1024;
  std::size_t unit = 0;
  for (; size >= 1024 && unit + 1 < std::size(kUnits); ++unit) size /= 1024;
  return value == 0 ? "0" : fmt::format("{:.4g}{}", size, kUnits[unit]);
}

}  // namespace trainyard::scheduler
