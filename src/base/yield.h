#pragma once

#include "base/async.h"

namespace trainyard {

/// Lets everybody else on the loop have a turn: long work takes one now and then, so that nobody
/// waits for the whole of it. What it looked at may have changed when it comes back.
awaitable<void> yield_to_others();

}  // namespace trainyard
