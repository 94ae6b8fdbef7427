#pragma once

#include "cli/arena/context.h"
#include "cli/arena/types.h"

namespace trainyard::cli::arena {

enum class Tell : std::uint8_t { kNothing, kEachObject };

/// Deletes all that a record names, then the record itself. What is gone already is fine; when
/// something cannot be deleted the record stays, so that it can be tried again.
Result<> delete_recorded(Context& context, const Json& record, Tell tell);

/// Deletes one job. `type` is what --type says; empty: the one type that has a job of that name.
Result<> delete_job(Context& context, const Visibility& visibility, const Key& job,
                    const std::string& type);

}  // namespace trainyard::cli::arena
