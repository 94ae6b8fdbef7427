#pragma once

#include "base/result.h"
#include "object/json/json.h"

#include <string>

namespace trainyard::node {

/// The container of a pod that a request means: the named one, or the only one. Otherwise an error
/// that lists them, in the words that kubectl's users know.
Result<std::string> choose_container(const Json& pod, const std::string& asked);

/// The container's spec; null when there is none of that name.
const Json* find_container(const Json& pod, std::string_view name);

/// Why a container that has never run has not: what its status says, or "ContainerCreating".
std::string waiting_reason(const Json& pod, std::string_view container);

}  // namespace trainyard::node
