#include "cli/arena/nodes/node_facts.h"

#include "cli/arena/pod_role.h"
#include "object/values/status.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

namespace trainyard::cli::arena {
namespace {

constexpr std::string_view kRolePrefix = "node-role.kubernetes.io/";

bool has_amount(const Json& node, const char* resource) {
  const Json* amount = object_at(node, "status.capacity").if_contains(resource);
  return amount != nullptr && !(amount->is_string() && amount->get_string() == "0");
}

}  // namespace

std::string node_address(const Json& node) {
  for (const Json& address : array_at(node, "status.addresses")) {
    if (string_at(address, "type") == "InternalIP") {
      return std::string(string_at(address, "address"));
    }
  }
  return std::string(kUnknownAddress);
}

std::string node_roles(const Json& node) {
  std::set<std::string> roles;
  for (const auto& label : object_at(node, "metadata.labels")) {
    std::string_view key(label.key().data(), label.key().size());
    if (key.starts_with(kRolePrefix) && key.size() > kRolePrefix.size()) {
      roles.emplace(key.substr(kRolePrefix.size()));
    } else if (key == "kubernetes.io/role" && label.value().is_string() &&
               !label.value().get_string().empty()) {
      roles.emplace(label.value().get_string().c_str());
    }
  }
  return roles.empty() ? "<none>" : fmt::format("{}", fmt::join(roles, ","));
}

bool node_is_ready(const Json& node) {
  return has_condition(node, "Ready");
}

std::int64_t node_gpus(const Json& node) {
  const Json* capacity = find(node, "status.capacity");
  return capacity == nullptr ? 0 : gpus_in(*capacity);
}

std::int64_t usable_gpus(const Json& node) {
  const Json* usable = find(node, "status.allocatable");
  return usable == nullptr ? node_gpus(node) : gpus_in(*usable);
}

GpuMode gpu_mode(const Json& node) {
  if (has_amount(node, "aliyun.com/gpu-mem")) return GpuMode::kShare;
  if (has_amount(node, "aliyun.com/gpu")) return GpuMode::kTopology;
  return node_gpus(node) > 0 ? GpuMode::kExclusive : GpuMode::kNone;
}

std::string gpu_mode_name(GpuMode mode) {
  switch (mode) {
    case GpuMode::kNone:
      return "none";
    case GpuMode::kExclusive:
      return "exclusive";
    case GpuMode::kTopology:
      return "topology";
    case GpuMode::kShare:
      return "share";
  }
  return "";
}

}  // namespace trainyard::cli::arena
