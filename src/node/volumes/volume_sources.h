#pragma once

#include "node/volumes/mounts.h"

namespace trainyard::node {

/// Whether what is to be mounted is there, and a hostPath what its volume says it must be. The
/// …OrCreate types make what is missing; a hostPath without a type becomes a folder, which belongs
/// to the server's user, as container runtimes do it. kUnavailable in kubelet's words: it may
/// become so.
Result<> check_host_path(const Mount& mount);

/// Makes what a mount needs on the host before a shim opens it: a folder of the pod's own, and the
/// folders of a subPath. kInvalid when links lead that out of its volume; the shim, which opens it
/// later, refuses that too.
Result<> prepare_source(const Mount& mount, const std::optional<std::int64_t>& group);

}  // namespace trainyard::node
