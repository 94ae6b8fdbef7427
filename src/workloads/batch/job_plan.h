#pragma once

#include "base/clock.h"
#include "object/values/metadata.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace trainyard::workloads {

/// Everything that a decision about a batch/v1 Job may rest on, read at one moment.
struct JobView {
  ObjectPtr job;
  std::vector<ObjectPtr> pods;  // its own
  WallTime now;
};

struct JobEvent {
  bool warning = false;
  std::string reason;
  std::string message;
};

/// What to do next, in this order. Any prefix of it may be all that happens before a crash.
///
/// A pod's end is counted exactly once: its uid is written into the status
/// (uncountedTerminatedPods), then its finalizer is taken off, then, when that has been seen, the
/// uid is replaced by one in status.succeeded or status.failed.
struct JobPlan {
  std::optional<Json> status;                       // when it differs from the Job's
  std::vector<JobEvent> events;                     // what that status tells for the first time
  std::vector<ObjectPtr> untrack;                   // pods whose end is in the status
  std::vector<ObjectPtr> spare;                     // pods too many: end them, and count nothing
  std::vector<ObjectPtr> end;                       // pods of a job that has failed
  std::vector<std::optional<std::int64_t>> create;  // the completion index of each missing pod
  bool remove_job = false;                          // its time after the end is over
  std::optional<std::chrono::milliseconds> look_again;
};

/// Decides. No I/O, no clock, no randomness: the same view gives the same plan.
JobPlan plan_job(const JobView& view);

}  // namespace trainyard::workloads
