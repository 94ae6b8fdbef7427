#pragma once

#include "client/pod_sessions.h"
#include "node/run/container_run.h"

#include <memory>

namespace trainyard::node {

/// Attaches to the main process of a running container: its input through the shim, its output from
/// the log. The first who attaches sees the output from the beginning, later ones what comes new.
awaitable<Result<std::unique_ptr<client::PodSession>>> attach_to(Executor loop, Clock& clock,
                                                                 ContainerRun run,
                                                                 client::SessionOptions options);

}  // namespace trainyard::node
