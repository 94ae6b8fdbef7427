#pragma once

#include "node/pod/pod_status.h"

namespace trainyard::node {

/// The conditions that the node keeps, then those that others have put into `before`. Pure.
JsonArray make_conditions(const PodView& view, const PodPlan& plan, const PodFacts& facts,
                          const Json& before, const JsonArray& readiness_gates, WallTime now);

/// What the pod's status is known to be: what was written last (null: nothing yet), for the stored
/// object may lag behind that, and what others have put into the stored one.
Json known_status(const Json& written, const Json& pod);

/// A status as a strategic patch, which leaves conditions of others alone.
Json status_patch(const Json& status);

}  // namespace trainyard::node
