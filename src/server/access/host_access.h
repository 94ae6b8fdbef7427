#pragma once

#include "object/schema/kind.h"
#include "server/access/rbac.h"

namespace trainyard::server {

/// Pods that reach out of their own world (hostPath volumes, hostPID, hostIPC) could read the
/// server's keys, those with NET_RAW hear what goes over the machine's network: only who may do
/// everything may ask for them, also in the template of a job. So could claims of a folder of the
/// machine's. `before`: what the object replaces; may be nullptr.
Result<> check_host_access(const Rbac& rbac, const User& user, const Kind& kind, const Json& object,
                           const Json* before);

}  // namespace trainyard::server
