#pragma once

#include "node/container_run.h"

#include <string>

namespace trainyard::node {

/// The text of a run's `spec` file, as src/shim/spec.h reads it: records of key, NUL, value, NUL.
std::string encode_run_spec(const RunSpec& spec);

}  // namespace trainyard::node
