#include "node/volumes/pod_fields.h"

#include "object/values/metadata.h"
#include "object/values/quantity.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::node {
namespace {

/// metadata.labels['a.b/c']: the part in quotes, when the path is of that shape.
std::optional<std::string> map_entry(std::string_view path, std::string_view map) {
  const std::string prefix = std::string(map) + "['";
  if (!path.starts_with(prefix) || !path.ends_with("']")) return std::nullopt;
  return std::string(path.substr(prefix.size(), path.size() - prefix.size() - 2));
}

const Json* find_container(const Json& pod, std::string_view name) {
  for (const char* list : {"spec.containers", "spec.initContainers"}) {
    for (const Json& container : array_at(pod, list)) {
      if (string_at(container, "name") == name) return &container;
    }
  }
  return nullptr;
}

Quantity of_machine(std::string_view resource, const Capacity& capacity) {
  if (resource == "limits.cpu") return capacity.cpu;
  if (resource == "limits.memory") return capacity.memory;
  return {};  // what was not asked for is nothing
}

std::int64_t divide_up(std::int64_t amount, std::int64_t divisor) {
  return divisor <= 0 ? amount : (amount + divisor - 1) / divisor;
}

}  // namespace

Result<std::string> pod_field(const Json& pod, const PodFacts& facts, std::string_view path) {
  if (const auto label = map_entry(path, "metadata.labels")) {
    return std::string(label_of(pod, *label));
  }
  if (const auto annotation = map_entry(path, "metadata.annotations")) {
    return std::string(annotation_of(pod, *annotation));
  }
  // The addresses may not have been reported yet.
  if (path == "status.podIP" || path == "status.podIPs") return facts.pod_ip;
  if (path == "status.hostIP" || path == "status.hostIPs") return facts.host_ip;
  for (const char* known : {"metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName",
                            "spec.serviceAccountName"}) {
    if (path == known) return std::string(string_at(pod, path));
  }
  return Error(Code::kInvalid, fmt::format("the field {} cannot be used here", path));
}

Result<std::string> resource_field(const Json& pod, const Json& container, const Json& reference,
                                   const Capacity& capacity) {
  const std::string_view name = string_at(reference, "containerName");
  const Json* subject = name.empty() ? &container : find_container(pod, name);
  if (subject == nullptr) {
    return Error(Code::kInvalid, fmt::format("the pod has no container {}", name));
  }
  const std::string_view resource = string_at(reference, "resource");  // limits.memory
  const std::size_t dot = std::min(resource.find('.'), resource.size());
  const JsonObject& given =
      object_at(*subject, fmt::format("resources.{}", resource.substr(0, dot)));
  Quantity amount = of_machine(resource, capacity);
  if (const Json* value = given.if_contains(resource.substr(std::min(dot + 1, resource.size())))) {
    TRY(amount, Quantity::parse(*value));
  }
  Quantity divisor = Quantity::of(1);
  if (const Json* value = find(reference, "divisor")) {
    TRY(divisor, Quantity::parse(*value));
    if (divisor == Quantity()) divisor = Quantity::of(1);  // 0 is Kubernetes' way to say "none"
  }
  const bool is_cpu = resource.ends_with(".cpu");
  return std::to_string(is_cpu ? divide_up(amount.as_milli(), divisor.as_milli())
                               : divide_up(amount.as_integer(), divisor.as_integer()));
}

}  // namespace trainyard::node
