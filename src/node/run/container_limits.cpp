#include "node/run/container_limits.h"

#include "contract/cpu_sharing.h"
#include "object/values/metadata.h"
#include "object/values/quantity.h"

#include <algorithm>

namespace trainyard::node {
namespace {

std::optional<Quantity> amount(const Json& container, const char* path) {
  const Json* value = find(container, path);
  if (value == nullptr) return std::nullopt;
  const auto parsed = Quantity::parse(*value);
  if (!parsed || *parsed <= Quantity()) return std::nullopt;
  return *parsed;
}

bool asks_for_cpu(const Json& container) {
  return amount(container, "resources.limits.cpu") || amount(container, "resources.requests.cpu");
}

}  // namespace

bool shares_cpu(const Json& pod) {
  if (annotation_of(pod, contract::kCpuAnnotation) != "shared") return false;
  for (const char* list : {"spec.initContainers", "spec.containers"}) {
    const JsonArray& containers = array_at(pod, list);
    if (std::any_of(containers.begin(), containers.end(), asks_for_cpu)) return false;
  }
  return true;
}

ContainerLimits limits_of(const Json& container, const Machine& machine) {
  ContainerLimits limits;
  const auto cpu = amount(container, "resources.limits.cpu");
  const auto requested = amount(container, "resources.requests.cpu");
  if (cpu) limits.cpu_milli = cpu->as_milli();
  if (requested || cpu) limits.cpu_weight_milli = (requested ? *requested : *cpu).as_milli();
  if (const auto memory = amount(container, "resources.limits.memory")) {
    limits.memory_bytes = memory->as_integer();
    limits.memory_text = memory->to_text();
  }
  // Threads count: a data loader and a thread pool for each CPU, several times over.
  constexpr std::int64_t kBase = 1024;
  constexpr std::int64_t kEachCpu = 512;
  limits.processes = kBase + kEachCpu * machine.cpus;
  return limits;
}

}  // namespace trainyard::node
