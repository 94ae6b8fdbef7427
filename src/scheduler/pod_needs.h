#pragma once

#include "object/json/json.h"
#include "scheduler/plan/needs.h"

namespace trainyard::scheduler {

/// Everything of a pod but its requests: selectors, affinity, tolerations, spread.
Needs read_rules(const Json& pod);

/// What the pod's containers ask for together: the sum of those that run at the same time, or an
/// init container that asks for more; and the pod itself.
Amounts read_requests(const Json& pod, ResourceNames& resources);
Amounts read_amounts(const JsonObject& amounts, ResourceNames& resources);

}  // namespace trainyard::scheduler
