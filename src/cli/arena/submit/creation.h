#pragma once

#include "cli/arena/context.h"
#include "cli/arena/types.h"

#include <vector>

namespace trainyard::cli::arena {

/// An error when a job of that type and name exists, when the server does not know the type, or
/// when the namespace is not there.
Result<> check_can_be_created(Context& context, const TrainingType& type, const std::string& name);

/// Creates a job's objects, the record first and the job last, and tells of each. When one cannot
/// be created, those before it are removed again.
Result<> create_objects(Context& context, const TrainingType& type,
                        const std::vector<Json>& objects);

}  // namespace trainyard::cli::arena
