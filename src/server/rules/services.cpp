#include "object/values/formats.h"
#include "object/values/metadata.h"
#include "object/values/names.h"
#include "server/rules/kind_rules.h"

#include <set>

namespace trainyard::server {
namespace {

constexpr const char* kIpRule = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";

bool is_ip(std::string_view text) {
  return formats::is_ipv4(text) || formats::is_ipv6(text);
}

void check_port_name(const Json& port, bool needed, const std::string& path,
                     std::set<std::string>& names, Errors& errors) {
  const std::string name(string_at(port, "name"));
  if (name.empty()) {
    if (needed) errors.push_back(field_errors::required(path));
    return;
  }
  add_problems(label_problems(name), path, name, errors);
  if (!names.insert(name).second) errors.push_back(field_errors::duplicate(path, Json(name)));
}

void check_ports(const Json& service, Errors& errors) {
  const JsonArray& ports = array_at(service, "spec.ports");
  const std::string_view type = string_at(service, "spec.type", "ClusterIP");
  const bool headless = string_at(service, "spec.clusterIP") == "None";
  if (ports.empty() && !headless && type != "ExternalName") {
    errors.push_back(field_errors::required("spec.ports"));
  }
  std::set<std::string> names;
  std::set<std::string> served;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const std::string here = at("spec.ports", i);
    check_port_name(ports[i], ports.size() > 1, here + ".name", names, errors);
    check_port(Json(int_at(ports[i], "port")), here + ".port", errors);
    if (const Json* target = find(ports[i], "targetPort")) {
      check_port_or_name(*target, here + ".targetPort", errors);
    }
    if (type == "ClusterIP" && int_at(ports[i], "nodePort") != 0) {
      errors.push_back(field_errors::forbidden(here + ".nodePort",
                                               "may not be used when `type` is 'ClusterIP'"));
    }
    const std::string identity =
        fmt::format("{}/{}", string_at(ports[i], "protocol", "TCP"), int_at(ports[i], "port"));
    if (!served.insert(identity).second) {
      errors.push_back(field_errors::duplicate(here, ports[i]));
    }
  }
}

void check_addresses(const Json& service, Errors& errors) {
  const std::string_view type = string_at(service, "spec.type", "ClusterIP");
  const std::string_view cluster_ip = string_at(service, "spec.clusterIP");
  if (!cluster_ip.empty() && type == "ExternalName") {
    errors.push_back(field_errors::forbidden("spec.clusterIPs[0]",
                                             "may not be set when type is 'ExternalName'"));
  } else if (cluster_ip == "None" && type != "ClusterIP") {
    errors.push_back(
        field_errors::invalid("spec.clusterIPs[0]", Json(cluster_ip),
                              fmt::format("may not be set to 'None' for {} services", type)));
  } else if (!cluster_ip.empty() && cluster_ip != "None" && !is_ip(cluster_ip)) {
    errors.push_back(field_errors::invalid("spec.clusterIPs[0]", Json(cluster_ip), kIpRule));
  }
  const JsonArray& ips = array_at(service, "spec.clusterIPs");
  if (!ips.empty() && ips[0] != Json(cluster_ip)) {
    errors.push_back(
        field_errors::invalid("spec.clusterIPs", ips, "first value must match `clusterIP`"));
  }
  std::size_t index = 0;
  for (const Json& ip : array_at(service, "spec.externalIPs")) {
    const std::string here = at("spec.externalIPs", index++);
    if (ip.is_string() && !is_ip(view(ip.get_string()))) {
      errors.push_back(field_errors::invalid(here, ip, kIpRule));
    }
  }
  if (type == "ExternalName") {
    const std::string_view name = string_at(service, "spec.externalName");
    if (name.empty()) {
      errors.push_back(field_errors::required("spec.externalName"));
    } else {
      add_problems(subdomain_problems(name), "spec.externalName", name, errors);
    }
  }
}

}  // namespace

void check_service(const Json& service, Errors& errors) {
  check_ports(service, errors);
  check_addresses(service, errors);
  check_labels(object_at(service, "spec.selector"), "spec.selector", errors);
  const std::string_view type = string_at(service, "spec.type", "ClusterIP");
  if (type == "ClusterIP" && find(service, "spec.externalTrafficPolicy") != nullptr &&
      array_at(service, "spec.externalIPs").empty()) {
    errors.push_back(field_errors::invalid("spec.externalTrafficPolicy",
                                           Json(string_at(service, "spec.externalTrafficPolicy")),
                                           "may only be set for externally-accessible services"));
  }
  const std::int64_t timeout =
      int_at(service, "spec.sessionAffinityConfig.clientIP.timeoutSeconds", 1);
  if (timeout <= 0 || timeout > 86400) {
    errors.push_back(field_errors::invalid("spec.sessionAffinityConfig.clientIP.timeoutSeconds",
                                           Json(timeout),
                                           "must be greater than 0 and less than 86400"));
  }
}

void check_service_update(const Json& before, const Json& after, Errors& errors) {
  const std::string_view old_ip = string_at(before, "spec.clusterIP");
  const std::string_view new_type = string_at(after, "spec.type", "ClusterIP");
  const bool was_inside = string_at(before, "spec.type", "ClusterIP") != "ExternalName";
  if (old_ip.empty() || !was_inside || new_type == "ExternalName") return;
  if (old_ip != string_at(after, "spec.clusterIP")) {
    errors.push_back(field_errors::invalid(
        "spec.clusterIPs[0]", Json(string_at(after, "spec.clusterIP")), "may not change once set"));
  }
}

void check_endpoints(const Json& endpoints, Errors& errors) {
  std::size_t index = 0;
  for (const Json& subset : array_at(endpoints, "subsets")) {
    const std::string here = at("subsets", index++);
    const JsonArray& ports = array_at(subset, "ports");
    if (array_at(subset, "addresses").empty() && array_at(subset, "notReadyAddresses").empty()) {
      errors.push_back(
          field_errors::required(here, "must specify `addresses` or `notReadyAddresses`"));
    }
    for (const char* list : {"addresses", "notReadyAddresses"}) {
      std::size_t position = 0;
      for (const Json& address : array_at(subset, list)) {
        const std::string path = at(fmt::format("{}.{}", here, list), position++) + ".ip";
        // Loopback addresses are refused by Kubernetes. Here pods have them.
        const std::string_view ip = string_at(address, "ip");
        if (!is_ip(ip)) errors.push_back(field_errors::invalid(path, Json(ip), kIpRule));
      }
    }
    std::set<std::string> names;
    for (std::size_t i = 0; i < ports.size(); ++i) {
      const std::string path = at(here + ".ports", i);
      check_port_name(ports[i], ports.size() > 1, path + ".name", names, errors);
      check_port(Json(int_at(ports[i], "port")), path + ".port", errors);
    }
  }
}

}  // namespace trainyard::server
