#pragma once

#include "node/pod/pod_plan.h"
#include "node/pod/pod_view.h"
#include "node/pod_facts.h"

#include <string>

namespace trainyard::node {

/// A pod's status from what its containers do and what is planned for them. Pure. Keeps the times
/// of `before` for what has not changed, and conditions that are not the node's.
Json make_pod_status(const PodView& view, const PodPlan& plan, const PodFacts& facts,
                     const Json& before, const JsonArray& readiness_gates, WallTime now);

/// Pending, Running, Succeeded or Failed.
const char* phase_of(const PodView& view, const PodPlan& plan);

}  // namespace trainyard::node
