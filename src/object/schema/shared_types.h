#pragma once

#include "object/json/json.h"

namespace trainyard {

/// Where a schema names one of api/types instead of saying all of it again.
inline constexpr std::string_view kSharedTypeKey = "x-trainyard-type";

/// A shared type as CustomResourceDefinitions see it: without its defaults. On a cluster a job's
/// template keeps what its user wrote, and only the pods made from it get a pod's defaults. Fields
/// that tell the elements of a list apart (a port's protocol) keep theirs, since no element may go
/// without.
Json without_defaults(const Json& schema);

}  // namespace trainyard
