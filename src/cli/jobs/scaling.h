#pragma once

#include "base/result.h"
#include "object/json/json.h"

namespace trainyard::cli {

/// The merge patch that gives a job that many replicas. An error says why it cannot be: the job is
/// not elastic, or the number is beyond its bounds. Pure.
Result<Json> scale_patch(const Json& job, std::int64_t replicas);

}  // namespace trainyard::cli
