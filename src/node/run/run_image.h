#pragma once

#include "node/images/image_environment.h"
#include "node/images/image_users.h"
#include "node/run/run_preparation.h"

namespace trainyard::node {

/// Finds what a container's image is mapped to, and whether that can be had: kUnavailable in the
/// words that users know. Those after this find it in `spec`.
Result<> check_image(const RunContext& context, RunSpec& spec);

/// The users of the image, if its root is another than the host's. Read as a process in it would:
/// no link of the image's leads to a file of the host.
Result<std::optional<ImageUsers>> read_image_users(const RunSpec& spec);

/// What the image means here. The mounts that takes, and the root, are in `spec`.
ImageEnvironment fill_image(const RunContext& context, RunSpec& spec);

}  // namespace trainyard::node
