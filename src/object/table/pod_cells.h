#pragma once

#include "base/clock.h"
#include "object/json/json.h"

#include <string>

namespace trainyard {

/// The word that kubectl shows as a pod's STATUS: its phase, or the reason that explains it better.
std::string pod_status_word(const Json& pod);
/// 1/2: how many of its containers are ready, of how many.
std::string pod_ready_text(const Json& pod);
/// 2 (5m ago): how often its containers were started again, and when last.
std::string pod_restarts_text(const Json& pod, WallTime now);
/// 1/2: how many of its readiness gates are open, of how many; <none> without gates.
std::string pod_gates_text(const Json& pod);

}  // namespace trainyard
