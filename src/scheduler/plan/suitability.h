#pragma once

#include "scheduler/plan/views.h"

#include <string>
#include <vector>

namespace trainyard::scheduler {

/// Why a node takes no pod of this kind, however much room it has. In the order in which Kubernetes
/// looks, so that its first reason is ours.
enum class Refusal : std::uint8_t { kNone, kUnschedulable, kTaint, kAffinity };

struct Suitability {
  Refusal refusal = Refusal::kNone;
  const Taint* taint = nullptr;  // the one that is not tolerated
};

Suitability check_node(const NodeView& node, const Needs& needs);
/// Whether the node's labels and name are what the pod asks for.
bool matches_affinity(const NodeView& node, const Needs& needs);
/// The first taint that keeps the pod away; null when there is none.
const Taint* untolerated_taint(const NodeView& node, const Needs& needs);

/// How much the pod would like to be there: the sum of its preferences' weights; a taint that only
/// prefers to keep it away outweighs them.
std::int64_t preference(const NodeView& node, const Needs& needs);

/// All of a node's refusals, for people.
std::vector<Refusal> all_refusals(const NodeView& node, const Needs& needs);

}  // namespace trainyard::scheduler
