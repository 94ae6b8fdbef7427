#pragma once

#include "base/async.h"
#include "base/result.h"

#include <cstddef>
#include <functional>

namespace trainyard::client {

/// Runs task(0) … task(count - 1), at most `width` of them at a time: writes that are under way
/// together share a commit. All are run, also when one fails; the result is the first error.
/// After an exception no more are begun, and when all have ended the first one comes out.
awaitable<Result<>> run_parallel(std::size_t count, std::size_t width,
                                 std::function<awaitable<Result<>>(std::size_t index)> task);

}  // namespace trainyard::client
