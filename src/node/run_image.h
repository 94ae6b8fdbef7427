#pragma once

#include "node/image_environment.h"
#include "node/run_preparation.h"

namespace trainyard::node {

/// Whether a container's image can be had here. kUnavailable in the words that users know.
Result<> check_image(const RunContext& context, RunSpec& spec);

/// What the image means here. The mounts that takes, and the root, are in `spec`.
ImageEnvironment fill_image(const RunContext& context, RunSpec& spec);

}  // namespace trainyard::node
