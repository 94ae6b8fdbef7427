#pragma once

#include "client/pod_ports.h"
#include "object/values/metadata.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace trainyard::node {

using client::kNetworkAnnotation;
bool has_private_network(const Json& pod);

/// What others on the machine have to know of a pod to find it.
struct PodPlace {
  std::string ns;
  std::string name;
  std::string hostname;
  std::string subdomain;
  std::string ip;
  std::map<std::string, std::string> labels;
  std::map<std::string, std::uint16_t> ports;  // by name and protocol: "http/TCP"
  std::string aliases;                         // lines of its own hosts file: spec.hostAliases
  bool ready = false;
  bool ending = false;
  bool alone = false;  // in a private network

  bool operator==(const PodPlace&) const = default;
};
PodPlace read_pod_place(const Json& pod);

struct ServicePort {
  std::uint16_t port = 0;
  std::uint16_t target = 0;  // of the pods; 0: the one that they call target_name
  std::string target_name;
  std::string protocol;
  std::uint16_t node_port = 0;  // 0: none

  bool operator==(const ServicePort&) const = default;
};

/// What a Service says of where it leads.
struct ServicePlace {
  std::string ns;
  std::string name;
  std::map<std::string, std::string> selector;  // empty: it leads to no pods
  std::vector<ServicePort> ports;
  bool headless = false;
  bool unready_too = false;  // publishNotReadyAddresses: its pods meet while they come up
  bool sticky = false;       // sessionAffinity: ClientIP

  bool operator==(const ServicePlace&) const = default;
  bool selects(const PodPlace& pod) const;
  /// Whether it leads to that pod now, one of those that it selects.
  bool leads_to(const PodPlace& pod) const;
};
ServicePlace read_service_place(const Json& service);

/// The port of a pod that a Service's port leads to; 0: the pod has none of that name.
std::uint16_t target_port(const ServicePort& port, const PodPlace& pod);

}  // namespace trainyard::node
