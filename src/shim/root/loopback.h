#pragma once

#include "shim/failure.h"

namespace trainyard::shim {

/// In a new network namespace: switches its loopback interface on, which the kernel makes down.
MaybeFailure raise_loopback();

}  // namespace trainyard::shim
