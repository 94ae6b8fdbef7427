#pragma once

#include <string>

namespace trainyard::node {

/// What else a pod's status tells.
struct PodFacts {
  std::string name;
  std::string ns;
  std::string uid;
  std::string pod_ip;  // empty: none yet
  std::string host_ip;
  bool alone = false;  // in a private network
};

/// trainyard://UID/NAME/N: which run of which container.
std::string container_id(const PodFacts& facts, const std::string& container, int number);

/// NAME_NAMESPACE(UID), as kubelet's messages name a pod.
std::string full_name(const PodFacts& facts);

}  // namespace trainyard::node
