#pragma once

#include "scheduler/plan/views.h"

#include <chrono>
#include <optional>

namespace trainyard::scheduler {

/// How long a pod may stay on a node with such taints, from the moment they appeared: zero when it
/// must go at once, nothing when it may stay for ever. Of several taints the strictest counts.
std::optional<std::chrono::seconds> time_to_stay(const NodeView& node, const Needs& needs);

}  // namespace trainyard::scheduler
