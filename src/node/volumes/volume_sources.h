#pragma once

#include "node/volumes/mounts.h"

namespace trainyard::node {

/// Whether a hostPath is what its volume says it must be; the …OrCreate types make what is missing.
/// kUnavailable in kubelet's words: it may become so.
Result<> check_host_path(const Mount& mount);

/// Makes what a mount needs on the host before a shim opens it: a folder of the pod's own, and the
/// folders of a subPath. kInvalid when links lead that out of its volume; the shim, which opens it
/// later, refuses that too.
Result<> prepare_source(const Mount& mount, const std::optional<std::int64_t>& group);

}  // namespace trainyard::node
