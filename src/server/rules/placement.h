#pragma once

#include "server/rules/faults.h"

namespace trainyard::server {

/// Where a pod may run: tolerations, affinity, spreading.
void check_placement(const Json& spec, const std::string& path, Errors& errors);

/// {nodeSelectorTerms: …}, in pods and volumes.
void check_node_selector(const Json& selector, const std::string& path, Errors& errors);

}  // namespace trainyard::server
