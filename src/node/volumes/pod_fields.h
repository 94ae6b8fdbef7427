#pragma once

#include "node/capacity.h"
#include "node/pod_facts.h"

#include <string>
#include <string_view>

namespace trainyard::node {

// What the downward API tells a container of its pod: for variables, and for files.

/// The value of a fieldRef such as metadata.labels['app'] or status.podIP. kInvalid names a field
/// that cannot be had.
Result<std::string> pod_field(const Json& pod, const PodFacts& facts, std::string_view path);

/// The value of a resourceFieldRef, in units of its divisor, rounded up. What the container does
/// not limit is limited by the machine. `container` is the one that the reference stands in, unless
/// it names another.
Result<std::string> resource_field(const Json& pod, const Json& container, const Json& reference,
                                   const Capacity& capacity);

}  // namespace trainyard::node
