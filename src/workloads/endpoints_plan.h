#pragma once

#include "object/values/metadata.h"

#include <map>
#include <string>
#include <vector>

namespace trainyard::workloads {

inline const Resource kEndpoints{"", "v1", "endpoints"};
inline const Resource kEndpointSlices{"discovery.k8s.io", "v1", "endpointslices"};

/// By which a slice names its service.
inline constexpr const char* kServiceNameLabel = "kubernetes.io/service-name";

// Two kinds tell the same: Endpoints, one for a service, which people and older programs read, and
// EndpointSlices, which kubectl describe and newer ones do.

/// The subsets of a Service's Endpoints: the addresses of the pods that it selects, the ready ones
/// apart from those that are not yet, by the ports that they are to be reached at.
JsonArray endpoint_subsets(const Json& service, const std::vector<ObjectPtr>& pods);

/// Its EndpointSlices by name: one for each set of ports.
std::map<std::string, Json> endpoint_slices(const Json& service,
                                            const std::vector<ObjectPtr>& pods);

/// The labels of what is made for a service: its own, and who made it.
JsonObject endpoint_labels(const Json& service, const char* made_by, const char* maker);

}  // namespace trainyard::workloads
