#pragma once

#include "shim/failure.h"
#include "shim/spec.h"

#include <string>
#include <vector>

namespace trainyard::shim {

/// Gives this process, which must be alone in new mount and PID namespaces, the files that `spec`
/// asks for: private root, /proc, masks, volumes. Nothing of it is seen outside, and it ends with
/// the namespace. What went less well than asked, but well enough, becomes a line of `notes`.
MaybeFailure set_up_mounts(const Spec& spec, std::vector<std::string>& notes);

}  // namespace trainyard::shim
