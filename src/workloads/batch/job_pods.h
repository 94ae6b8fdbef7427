#pragma once

#include "base/clock.h"
#include "object/values/metadata.h"

#include <optional>

namespace trainyard::workloads {

/// A pod that has ended stays until its Job has counted it: this finalizer holds it.
inline constexpr const char* kTrackingFinalizer = "batch.kubernetes.io/job-tracking";
inline constexpr const char* kJobNameLabel = "batch.kubernetes.io/job-name";

bool is_tracked(const Json& pod);
/// A merge patch that takes the finalizer off the pod in exactly this state.
Json untracking_patch(const Json& pod);

/// The number of an Indexed Job's pod.
std::optional<std::int64_t> completion_index(const Json& pod);
/// When it ended, as well as can be told.
WallTime end_time(const Json& pod);
/// How often its containers were started again.
std::int64_t restarts_of(const Json& pod);

/// A new pod of a Job; with its number when the Job is Indexed.
Json make_job_pod(const Json& job, std::optional<std::int64_t> index);

}  // namespace trainyard::workloads
