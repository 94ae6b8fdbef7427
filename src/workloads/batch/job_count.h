#pragma once

#include "workloads/batch/indexes.h"
#include "workloads/batch/job_plan.h"

namespace trainyard::workloads {

/// What the pods of a Job and its status say together.
struct JobCount {
  std::int64_t succeeded = 0;  // all in all
  std::int64_t failed = 0;
  Indexes completed;                        // of an Indexed job
  std::vector<std::string> succeeded_uids;  // seen to have ended, not yet let go
  std::vector<std::string> failed_uids;
  std::vector<ObjectPtr> ended;   // the pods of those uids
  std::vector<ObjectPtr> active;  // run, or will
  std::int64_t terminating = 0;   // on their way out
  std::int64_t ready = 0;

  bool all_counted() const { return succeeded_uids.empty() && failed_uids.empty(); }
};

JobCount count_job(const JobView& view);

bool is_indexed(const Json& job);

/// How long a new pod has to wait, since the last ones failed: 10 s, then twice as long each time,
/// up to ten minutes.
std::optional<std::chrono::milliseconds> wait_after_failures(const JobView& view);

}  // namespace trainyard::workloads
