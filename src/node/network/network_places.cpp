#include "node/network/network_places.h"

#include "object/values/status.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::node {
namespace {

std::map<std::string, std::string> texts_at(const Json& object, std::string_view path) {
  std::map<std::string, std::string> texts;
  for (const auto& member : object_at(object, path)) {
    if (!member.value().is_string()) continue;
    const std::string name(member.key().data(), member.key().size());
    texts.emplace(name, to_string(member.value().get_string()));
  }
  return texts;
}

std::uint16_t port_at(const Json& object, std::string_view path) {
  const std::int64_t number = int_at(object, path);
  return number > 0 && number <= 65535 ? static_cast<std::uint16_t>(number) : 0;
}

std::string port_key(std::string_view name, std::string_view protocol) {
  return fmt::format("{}/{}", name, protocol);
}

std::string alias_lines(const Json& pod) {
  std::string lines;
  for (const Json& alias : array_at(pod, "spec.hostAliases")) {
    std::string line(string_at(alias, "ip"));
    for (const Json& name : array_at(alias, "hostnames")) {
      if (name.is_string()) line += " " + to_string(name.get_string());
    }
    lines += line + "\n";
  }
  return lines;
}

}  // namespace

bool has_private_network(const Json& pod) {
  return annotation_of(pod, kNetworkAnnotation) == "private";
}

PodPlace read_pod_place(const Json& pod) {
  PodPlace place;
  place.ns = namespace_of(pod);
  place.name = name_of(pod);
  place.hostname = string_at(pod, "spec.hostname", place.name);
  place.subdomain = string_at(pod, "spec.subdomain");
  place.ip = string_at(pod, "status.podIP");
  place.labels = texts_at(pod, "metadata.labels");
  for (const Json& container : array_at(pod, "spec.containers")) {
    for (const Json& port : array_at(container, "ports")) {
      if (string_at(port, "name").empty()) continue;
      place.ports.emplace(port_key(string_at(port, "name"), string_at(port, "protocol", "TCP")),
                          port_at(port, "containerPort"));
    }
  }
  place.aliases = alias_lines(pod);
  place.ready = has_condition(pod, "Ready");
  place.ending = is_being_deleted(pod);
  place.alone = has_private_network(pod);
  return place;
}

ServicePlace read_service_place(const Json& service) {
  ServicePlace place;
  place.ns = namespace_of(service);
  place.name = name_of(service);
  const bool outside = string_at(service, "spec.type") == "ExternalName";
  if (!outside) place.selector = texts_at(service, "spec.selector");
  place.headless = string_at(service, "spec.clusterIP") == "None";
  place.unready_too = bool_at(service, "spec.publishNotReadyAddresses");
  place.sticky = string_at(service, "spec.sessionAffinity") == "ClientIP";
  for (const Json& port : array_at(service, "spec.ports")) {
    ServicePort read;
    read.port = port_at(port, "port");
    read.target_name = string_at(port, "targetPort");
    read.target = read.target_name.empty() ? port_at(port, "targetPort") : 0;
    if (read.target == 0 && read.target_name.empty()) read.target = read.port;
    read.protocol = string_at(port, "protocol", "TCP");
    read.node_port = port_at(port, "nodePort");
    place.ports.push_back(std::move(read));
  }
  return place;
}

bool ServicePlace::selects(const PodPlace& pod) const {
  if (selector.empty() || pod.ns != ns) return false;
  return std::all_of(selector.begin(), selector.end(), [&](const auto& wanted) {
    const auto label = pod.labels.find(wanted.first);
    return label != pod.labels.end() && label->second == wanted.second;
  });
}

bool ServicePlace::leads_to(const PodPlace& pod) const {
  if (pod.alone || pod.ip.empty()) return false;
  return unready_too || (pod.ready && !pod.ending);
}

std::uint16_t target_port(const ServicePort& port, const PodPlace& pod) {
  if (port.target != 0) return port.target;
  const auto named = pod.ports.find(port_key(port.target_name, port.protocol));
  return named == pod.ports.end() ? 0 : named->second;
}

}  // namespace trainyard::node
