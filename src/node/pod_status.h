#pragma once

#include "node/pod_plan.h"
#include "node/pod_view.h"

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

/// A pod's status from what its containers do and what is planned for them. Pure. Keeps the times
/// of `before` for what has not changed, and conditions that are not the node's.
Json make_pod_status(const PodView& view, const PodPlan& plan, const PodFacts& facts,
                     const Json& before, const JsonArray& readiness_gates, WallTime now);

/// Pending, Running, Succeeded or Failed.
const char* phase_of(const PodView& view, const PodPlan& plan);

/// trainyard://UID/NAME/N: which run of which container.
std::string container_id(const PodFacts& facts, const std::string& container, int number);

/// NAME_NAMESPACE(UID), as kubelet's messages name a pod.
std::string full_name(const PodFacts& facts);

}  // namespace trainyard::node
