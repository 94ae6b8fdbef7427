#pragma once

#include "jobs/engine/form/form.h"

#include <string>
#include <vector>

/// What a job's spec will do when something happens, found out by rehearsing it.
namespace trainyard::jobs {

struct Outcome {
  std::string event;                  // "the master exits with an error"
  std::string then;                   // in words
  std::string phase;                  // of the job, after it
  std::vector<std::string> replaced;  // pods that have a successor, as TYPE-INDEX
  std::vector<std::string> stopped;   // pods that were told to end
  std::vector<std::string> again;     // pods whose node has started a container of theirs again
  std::int64_t restarts = 0;          // how many that counts
};

/// Empty when the job can be rehearsed, else what is wrong with it.
std::string why_not_explainable(const JobKind& kind, const Json& job);
/// An outcome for everything that can happen to it.
std::vector<Outcome> explain_job(const JobKind& kind, const Json& job);

Json to_json(const Outcome& outcome);

}  // namespace trainyard::jobs
