#pragma once

#include "contract/usage.h"
#include "node/usage/usage_reader.h"
#include "object/json/json.h"

#include <vector>

namespace trainyard::node {

/// The containers of a pod that run, as its status says.
std::vector<UsageTarget> running_in(const Json& pod);

/// What has passed between the two, of the connections that are still open. Of one that is new,
/// all.
Traffic traffic_between(const TrafficOfSockets& before, const TrafficOfSockets& after);

/// What was used between two readings, a second.
contract::Usage usage_between(const UsageReading& before, const UsageReading& after);

}  // namespace trainyard::node
