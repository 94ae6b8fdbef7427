#pragma once

#include "base/clock.h"
#include "object/json.h"

#include <string_view>

namespace trainyard {

/// The cells of built-in kinds that no JSONPath can express. Their columns carry a name instead of
/// a path: @pod-ready (1/2), @pod-status (Running, Error, …), @pod-restarts, @node-status,
/// @service-ports, @event-object (kind/name), @event-age.
Json computed_cell(std::string_view name, const Json& object, WallTime now);

/// The word that kubectl shows as a pod's STATUS: its phase, or the reason that explains it better.
std::string pod_status_word(const Json& pod);

}  // namespace trainyard
