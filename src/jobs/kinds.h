#pragma once

#include "jobs/engine/form/form.h"

#include <vector>

namespace trainyard::jobs {

/// Every job kind that the engine runs.
const std::vector<const JobKind*>& job_kinds();
/// The one that an object is of, by its apiVersion and kind; null: none.
const JobKind* find_job_kind(const Json& object);

}  // namespace trainyard::jobs
