#pragma once

#include "object/schema/kind.h"

namespace trainyard::server {

/// The subresource `scale`: an autoscaling/v1 Scale made from an object of a kind that has one.
Json scale_of(const Kind& kind, const Json& object);

/// The kind of what scale_of() makes, for those who want to see it as a table.
const Kind& scale_kind();

/// Writes a Scale's replicas into the object. kInvalid when they are missing or negative.
Result<> set_scale(const Kind& kind, Json& object, const Json& scale);

}  // namespace trainyard::server
