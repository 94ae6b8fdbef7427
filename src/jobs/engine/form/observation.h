#pragma once

#include "jobs/engine/form/form.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard::jobs {

/// What a pod does, or why there is none.
enum class PodPhase : std::uint8_t {
  kPending,
  kRunning,
  kSucceeded,
  kFailed,
  kUnknown,
  kCreating,  // it is yet to come
  kDeleted,   // it is gone
};
/// As objects have it.
const char* word_for(PodPhase phase);
/// Unknown is also what no phase is.
PodPhase read_pod_phase(std::string_view name);
bool is_over(PodPhase phase);

/// How a pod ended, if it did.
enum class PodEnd : std::uint8_t { kNone, kSucceeded, kFailed };
/// Of a final phase; none of any other.
PodEnd end_of(PodPhase phase);
PodPhase phase_of(PodEnd end);

/// A replica as it is now, with what is remembered of it.
struct Observed {
  Replica replica;
  std::string name;
  ObjectPtr pod;                        // null: there is none
  PodPhase phase = PodPhase::kPending;  // Creating or Deleted when there is no pod
  PodEnd ended_as = PodEnd::kNone;      // of the pod or of the one that is gone
  std::int64_t exit_code = 0;
  std::int64_t restarts = 0;
  bool succeeds = false;  // it comes after an ended pod that is gone: `restarts` counts that
  bool recorded = false;  // the job's status already tells of this end
  bool old = false;       // of a round before the present one, where all are restarted together
  bool surplus = false;   // the job has been scaled down: it is not wanted any more

  bool has_ended() const { return ended_as != PodEnd::kNone; }
};

/// Every replica of the form, in the order of ranks, then pods that are left of more replicas.
/// `status` is the job's last one: what it tells of pods that are gone is all that is left of them.
std::vector<Observed> observe_replicas(const Json& job, const JobForm& form,
                                       const std::map<std::string, ObjectPtr>& pods,
                                       const Json& status);

/// What a status says of a replica; null when nothing.
const Json* remembered(const Json& status, const std::string& name);

/// Why a pod does not run yet, in one word and in a sentence.
struct Waiting {
  std::string reason;
  std::string message;
};
/// What the scheduler says of the first pod that it cannot place, or the node of the first that it
/// cannot start; empty when there is none.
Waiting why_waiting(const std::vector<Observed>& observed);

}  // namespace trainyard::jobs
