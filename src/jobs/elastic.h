#pragma once

#include "jobs/engine/form/form.h"

/// Jobs whose number of pods may change while they run.
namespace trainyard::jobs {

/// Divides so many replicas over groups in proportion to their weights, rounding down; what is left
/// goes to the first group, which has at least one.
std::vector<std::int64_t> divide_replicas(std::int64_t total,
                                          const std::vector<std::int64_t>& weights);

/// Gives the groups of an elastic job as many replicas as spec.elastic wishes for at present.
void apply_elastic(JobForm& form, const Json& job);

}  // namespace trainyard::jobs
