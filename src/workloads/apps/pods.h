#pragma once

#include "base/clock.h"
#include "object/values/metadata.h"

#include <optional>

namespace trainyard::workloads {

/// It runs, or will: it has not ended and nobody has asked it to.
bool is_active_pod(const Json& pod);
bool is_ready_pod(const Json& pod);
/// Ready for at least so long.
bool is_available_pod(const Json& pod, std::chrono::seconds min_ready, WallTime now);
/// How long until a ready pod becomes available; nothing when it is, or is not ready.
std::optional<std::chrono::milliseconds> until_available(const Json& pod,
                                                         std::chrono::seconds min_ready,
                                                         WallTime now);
/// Of two active pods, whether the first is the smaller loss: not placed, not running, not ready,
/// cheap by its annotation, ready for a shorter time, restarted more often, younger.
bool goes_before(const Json& a, const Json& b);

/// A pod as a template asks for it, owned by `owner`. Its name is up to the server.
Json pod_from_template(const Json& pod_template, const Json& owner);

}  // namespace trainyard::workloads
