#pragma once

#include <sys/types.h>

namespace trainyard::shim {

/// Sends SIGKILL to every process of this PID namespace but the shim.
void kill_namespace();
/// Without a PID namespace: to everything that descends from the shim. A process that forks
/// meanwhile can escape one call; call it until nothing is left. Orphans come back to the shim,
/// which is their subreaper, so none is lost.
void kill_descendants();
/// To all of a session, by the pid of the process that leads or led it. What has left it on purpose
/// (setsid) stays.
void kill_session(pid_t leader);

}  // namespace trainyard::shim
