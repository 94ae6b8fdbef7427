#pragma once

#include "jobs/engine/plan/draft.h"

/// The phase before mpirun in which the launcher's container `preflight` probes the way to every
/// worker: what the job says of it.
namespace trainyard::jobs {

/// On a job: for how many seconds workers may be out of reach before it gives up.
inline constexpr const char* kPreflightAnnotation = "trainyard.dev/preflight-seconds";
std::int64_t preflight_seconds(const Json& job);

/// Writes the condition Preflight and an event for what is unusual, from the status of the pod of
/// that group's only replica.
void tell_preflight(Draft& draft, std::size_t launcher_group);

}  // namespace trainyard::jobs
