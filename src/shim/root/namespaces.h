#pragma once

#include "shim/failure.h"
#include "shim/spec.h"

namespace trainyard::shim {

/// Puts this process into new mount and UTS namespaces, and its next child into a new PID
/// namespace. An ordinary user gets a user namespace too. The failure says which volumes cannot be
/// mounted because of it, and how this machine can be made to allow it.
MaybeFailure make_namespaces(const Spec& spec);

}  // namespace trainyard::shim
