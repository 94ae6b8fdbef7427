#pragma once

#include "jobs/engine/form.h"

#include <map>
#include <string>
#include <vector>

namespace trainyard::jobs {

/// A replica as it is now, with what is remembered of it.
struct Observed {
  Replica replica;
  std::string name;
  ObjectPtr pod;         // null: there is none
  std::string phase;     // of the pod; Creating or Deleted when there is none
  std::string ended_as;  // Succeeded or Failed, of the pod or of the one that is gone; else empty
  std::int64_t exit_code = 0;
  std::int64_t restarts = 0;
  bool succeeds = false;  // it comes after an ended pod that is gone: `restarts` counts that
  bool recorded = false;  // the job's status already tells of this end
};

/// Every replica of the form, in the order of ranks. `status` is the job's last one: what it tells
/// of pods that are gone is all that is left of them.
std::vector<Observed> observe_replicas(const Json& job, const JobForm& form,
                                       const std::map<std::string, ObjectPtr>& pods,
                                       const Json& status);

/// What a status says of a replica; null when nothing.
const Json* remembered(const Json& status, const std::string& name);

/// Whether the policy has an ended replica run again, the shared limit aside.
bool may_restart(RestartPolicy policy, const Observed& observed);
/// "exited with error code 1", or the reason when no process got that far.
std::string how_it_failed(const Observed& observed);

/// What the scheduler says of the first pod that it cannot place; empty when there is none.
std::string why_unplaced(const std::vector<Observed>& observed);

}  // namespace trainyard::jobs
