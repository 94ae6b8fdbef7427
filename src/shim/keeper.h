#pragma once

#include "shim/files.h"

namespace trainyard::shim {

/// `trainyard-shim --keep DIR`: keeps the ports that a server listens on while none runs, so that
/// no pod can listen there and be taken for it. `server` is where servers come in: each is given
/// what is kept, and says what shall be. While none is there, whoever connects to such a port is
/// turned away at once. Ends when nobody holds the other end of `life` any more: the servers and
/// shims.
int keep_ports(const Fd& server, const Fd& life);

}  // namespace trainyard::shim
