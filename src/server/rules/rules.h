#pragma once

#include "object/schema/kind.h"

#include <string>
#include <string_view>
#include <vector>

namespace trainyard::server {

/// Defaults that depend on other fields (an image's tag, a service's type), and forms that
/// Kubernetes writes otherwise than its users do (amounts, a Secret's stringData). Before
/// validation, at every write; a second time changes nothing.
void set_dependent_defaults(const Kind& kind, Json& object);

/// Values that a new object gets once and that a schema cannot give, such as a pod's phase.
void set_built_in_defaults(const Kind& kind, Json& object);

/// Rules between fields, which a schema cannot express. Called with an object that has what its
/// schema requires, of the types that it says; values may be wrong.
std::vector<FieldError> check_rules(const Kind& kind, const Json& object);

/// What an update may not change.
std::vector<FieldError> check_immutable(const Kind& kind, const Json& before, const Json& after);

/// What is wrong with an object's name, in kube-apiserver's words. Most names are DNS subdomains.
std::vector<std::string> name_problems(const Kind& kind, std::string_view name);

}  // namespace trainyard::server
