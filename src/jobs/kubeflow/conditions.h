#pragma once

#include "base/clock.h"
#include "object/json/json.h"

#include <string>

namespace trainyard::jobs {

/// Sets a condition in a job's status as Kubeflow's operators do. The list is a history, the latest
/// last: what is set again with another status or reason moves to the end. Running and Restarting
/// drive each other out, the end makes them false, and after Failed nothing changes any more.
void set_kubeflow_condition(Json& status, const std::string& type, bool value,
                            const std::string& reason, const std::string& message, WallTime now);

}  // namespace trainyard::jobs
