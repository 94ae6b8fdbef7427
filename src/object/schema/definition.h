#pragma once

#include "object/json/json.h"

#include <vector>

namespace trainyard {

/// What is wrong with a CustomResourceDefinition (apiextensions.k8s.io/v1): its names, versions and
/// schemas, all at once, in kube-apiserver's words. Its own metadata is checked like any other's.
std::vector<FieldError> check_definition(const Json& definition);

/// Fills in what kube-apiserver fills in: singular and list name, and the conversion that does
/// nothing.
void apply_definition_defaults(Json& definition);

}  // namespace trainyard
