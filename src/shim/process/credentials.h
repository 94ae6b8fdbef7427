#pragma once

#include "shim/failure.h"
#include "shim/spec.h"

namespace trainyard::shim {

/// Takes the user and group of `spec` and gives up what no training needs: the capabilities with
/// which root could leave the container, and gaining privileges by exec.
MaybeFailure take_credentials(const Spec& spec);

}  // namespace trainyard::shim
