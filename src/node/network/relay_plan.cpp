#include "node/network/relay_plan.h"

#include "base/crypto/ids.h"

#include <algorithm>

namespace trainyard::node {
namespace {

RelayRule rule_for(const Network& network, const Network::Service& service,
                   const ServicePort& port) {
  RelayRule rule;
  rule.service = Key{service.place.ns, service.place.name};
  rule.sticky = service.place.sticky;
  for (const std::string& uid : service.members) {
    const PodPlace& pod = *network.find_pod(uid);
    const std::uint16_t target = target_port(port, pod);
    if (target != 0 && service.place.leads_to(pod)) rule.targets.push_back({pod.ip, target});
  }
  return rule;
}

}  // namespace

std::map<RelayPlace, RelayRule> plan_relays(const Network& network,
                                            const std::vector<std::string>& node_addresses) {
  std::map<RelayPlace, RelayRule> relays;
  for (const auto& [key, service] : network.services()) {
    const bool translated = network.translates(service);
    for (const ServicePort& port : service.place.ports) {
      if (port.protocol != "TCP") continue;
      const RelayRule rule = rule_for(network, service, port);
      if (translated) relays.emplace(RelayPlace{service.address, port.port}, rule);
      if (port.node_port == 0) continue;
      relays.emplace(RelayPlace{"127.0.0.1", port.node_port}, rule);
      for (const std::string& address : node_addresses) {
        relays.emplace(RelayPlace{address, port.node_port}, rule);
      }
    }
  }
  return relays;
}

std::vector<RelayTarget> order_of(const RelayRule& rule, std::uint64_t turn,
                                  const std::string& client) {
  std::vector<RelayTarget> order = rule.targets;
  if (order.empty()) return order;
  const std::uint64_t first = (rule.sticky ? fnv1a(client) : turn) % order.size();
  std::rotate(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(first), order.end());
  return order;
}

}  // namespace trainyard::node
