#include "server/rules/pod_spec.h"

#include "object/values/formats.h"
#include "object/values/names.h"
#include "server/rules/containers.h"
#include "server/rules/placement.h"
#include "server/rules/volumes.h"

#include <fmt/format.h>

namespace trainyard::server {
namespace {

/// Each is a process with one above it, namespaces, mounts and control groups.
constexpr std::size_t kMostContainers = 256;

using Problems = std::vector<std::string> (*)(std::string_view);

void check_names(const Json& spec, const std::string& path, Errors& errors) {
  static constexpr std::pair<const char*, Problems> kNames[] = {
      {"serviceAccountName", subdomain_problems},
      {"nodeName", subdomain_problems},
      {"hostname", label_problems},
      {"subdomain", label_problems},
      {"priorityClassName", subdomain_problems},
      {"runtimeClassName", subdomain_problems},
  };
  for (const auto& [field, problems] : kNames) {
    const std::string_view name = string_at(spec, field);
    if (!name.empty())
      add_problems(problems(name), fmt::format("{}.{}", path, field), name, errors);
  }
  if (const Json* os = find(spec, "os")) {
    const std::string_view name = string_at(*os, "name");
    if (name != "linux" && name != "windows") {
      errors.push_back(
          field_errors::not_supported(path + ".os.name", Json(name), {"linux", "windows"}));
    }
  }
}

void check_deadline(const Json& spec, const std::string& path, Errors& errors) {
  const Json* seconds = find(spec, "activeDeadlineSeconds");
  if (seconds == nullptr || !seconds->is_int64()) return;
  if (seconds->get_int64() >= 1 && seconds->get_int64() <= 2147483647) return;
  errors.push_back(field_errors::invalid(path + ".activeDeadlineSeconds", *seconds,
                                         "must be between 1 and 2147483647, inclusive"));
}

void check_dns(const Json& spec, const std::string& path, Errors& errors) {
  if (string_at(spec, "dnsPolicy") == "None" && array_at(spec, "dnsConfig.nameservers").empty()) {
    errors.push_back(field_errors::required(
        path + ".dnsConfig.nameservers",
        "must provide at least one DNS nameserver when `dnsPolicy` is None"));
  }
  std::size_t index = 0;
  for (const Json& alias : array_at(spec, "hostAliases")) {
    const std::string_view ip = string_at(alias, "ip");
    const std::string here = at(path + ".hostAliases", index++);
    if (!formats::is_ipv4(ip) && !formats::is_ipv6(ip)) {
      errors.push_back(field_errors::invalid(
          here + ".ip", Json(ip), "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"));
    }
  }
}

void check_gates(const Json& spec, const std::string& path, Errors& errors) {
  std::size_t index = 0;
  for (const Json& gate : array_at(spec, "readinessGates")) {
    const std::string_view type = string_at(gate, "conditionType");
    add_problems(qualified_name_problems(type),
                 at(path + ".readinessGates", index++) + ".conditionType", type, errors);
  }
  index = 0;
  for (const Json& gate : array_at(spec, "schedulingGates")) {
    const std::string_view name = string_at(gate, "name");
    add_problems(qualified_name_problems(name), at(path + ".schedulingGates", index++), name,
                 errors);
  }
}

}  // namespace

void check_pod_spec(const Json& spec, const std::string& path, std::vector<FieldError>& errors) {
  PodContext pod;
  pod.host_network = bool_at(spec, "hostNetwork");
  pod.volumes = check_volumes(spec, path, errors);
  const JsonArray& containers = array_at(spec, "containers");
  if (containers.empty()) errors.push_back(field_errors::required(path + ".containers"));
  const JsonArray& first = array_at(spec, "initContainers");
  if (containers.size() + first.size() > kMostContainers) {
    errors.push_back({path + ".containers",
                      fmt::format("Too many: {}: a pod may have at most {} containers, init "
                                  "containers among them: share them out among several pods",
                                  containers.size() + first.size(), kMostContainers),
                      "FieldValueTooMany"});
    return;
  }
  check_containers(containers, ContainerRole::kMain, path + ".containers", pod, errors);
  check_containers(array_at(spec, "initContainers"), ContainerRole::kInit, path + ".initContainers",
                   pod, errors);
  check_labels(object_at(spec, "nodeSelector"), path + ".nodeSelector", errors);
  check_names(spec, path, errors);
  check_deadline(spec, path, errors);
  check_dns(spec, path, errors);
  check_placement(spec, path, errors);
  check_gates(spec, path, errors);
  if (bool_at(spec, "hostPID") && bool_at(spec, "shareProcessNamespace")) {
    errors.push_back(
        field_errors::invalid(path + ".shareProcessNamespace", Json(true),
                              "ShareProcessNamespace and HostPID cannot both be enabled"));
  }
}

void check_images(const Json& spec, const std::string& path, Errors& errors) {
  for (const char* list : {"containers", "initContainers"}) {
    std::size_t index = 0;
    for (const Json& container : array_at(spec, list)) {
      const std::string here = at(fmt::format("{}.{}", path, list), index++);
      if (string_at(container, "image").empty()) {
        errors.push_back(field_errors::required(here + ".image"));
      }
    }
  }
}

void check_pod_template(const Json& pod_template, const std::string& path, Errors& errors) {
  check_labels(object_at(pod_template, "metadata.labels"), path + ".labels", errors);
  const Json* spec = find(pod_template, "spec");
  if (spec == nullptr) {
    errors.push_back(field_errors::required(path + ".spec.containers"));
    return;
  }
  check_pod_spec(*spec, path + ".spec", errors);
  check_images(*spec, path + ".spec", errors);
}

}  // namespace trainyard::server
