#pragma once

#include "node/network/network.h"

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace trainyard::node {

/// Where the server listens for a Service.
struct RelayPlace {
  std::string address;
  std::uint16_t port = 0;
  auto operator<=>(const RelayPlace&) const = default;
};

struct RelayTarget {
  std::string address;
  std::uint16_t port = 0;
  bool operator==(const RelayTarget&) const = default;
};

/// What becomes of connections to such a place.
struct RelayRule {
  Key service;
  bool sticky = false;  // a client gets the same pod every time, as long as there are the same
  std::vector<RelayTarget> targets;  // the pods that are ready, in a fixed order
  bool operator==(const RelayRule&) const = default;
};

/// All places to listen at: a Service's node ports on the loopback address and those of the nodes,
/// and its own ports at its own address, where it has one. TCP only.
std::map<RelayPlace, RelayRule> plan_relays(const Network& network,
                                            const std::vector<std::string>& node_addresses);

/// The targets in the order in which a connection tries them. `turn` counts a place's connections.
std::vector<RelayTarget> order_of(const RelayRule& rule, std::uint64_t turn,
                                  const std::string& client);

}  // namespace trainyard::node
