#pragma once

namespace trainyard::shim {

/// Sends SIGKILL to every process of this PID namespace but the shim.
void kill_namespace();
/// Without a PID namespace: to everything that descends from the shim. A process that forks
/// meanwhile can escape one call; call it until nothing is left. Orphans come back to the shim,
/// which is their subreaper, so none is lost.
void kill_descendants();

}  // namespace trainyard::shim
