#pragma once

#include "jobs/engine/plan/draft.h"

/// What the status says of a job that goes on.
namespace trainyard::jobs {

/// What ReplicaFailure says of a job that does not run, or not yet.
inline constexpr const char* kNoneFailed = "No pod has failed.";

/// The job has been accepted.
void begin(Draft& draft);
/// Pods that failed, and whether enough run.
void report_progress(Draft& draft);
/// Why a job that does not run yet does not, where people look for it.
void report_waiting(Draft& draft);
void tell_running(Draft& draft);
/// Tasks and counts, of whatever job. Puts the status into the plan when anything has changed.
void write_status(Draft& draft);

}  // namespace trainyard::jobs
