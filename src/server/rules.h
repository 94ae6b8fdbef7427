#pragma once

#include "object/kind.h"

#include <vector>

namespace trainyard::server {

/// Values that depend on the kind and that a schema cannot give, such as a new pod's phase.
void set_built_in_defaults(const Kind& kind, Json& object);

/// Rules between fields, which a schema cannot express. Called with an object that its schema has
/// accepted.
std::vector<FieldError> check_rules(const Kind& kind, const Json& object);

/// What an update may not change. `status_only`: the update of /status, which cannot touch it.
std::vector<FieldError> check_immutable(const Kind& kind, const Json& before, const Json& after);

}  // namespace trainyard::server
