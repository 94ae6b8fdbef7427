#pragma once

#include "node/run/container_run.h"

#include <string>

namespace trainyard::node {

/// The text of a run's `spec` file, as src/shim/spec.h reads it: records of key, NUL, value, NUL.
/// kInvalid for what it cannot say, since records that a user's text adds could mount the host.
Result<std::string> encode_run_spec(const RunSpec& spec);

}  // namespace trainyard::node
