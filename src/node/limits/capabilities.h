#pragma once

#include "object/json/json.h"

#include <cstdint>
#include <string>
#include <vector>

namespace trainyard::node {

/// Which capabilities a container may have, and what it asked for in vain.
struct Capabilities {
  std::uint64_t mask = 0;  // one bit each, by the kernel's numbers
  std::vector<std::string> refused;
};

/// Whose network the container is in: the machine's, where others can be heard, or one of its own.
enum class PodNetwork : std::uint8_t { kOfTheMachine, kItsOwn };

/// From securityContext.capabilities: what containers get, less `drop`, with `add` as far as it
/// cannot be used to leave the container. Names with or without CAP_; ALL is known.
Capabilities make_capabilities(const Json& security_context, PodNetwork network);

}  // namespace trainyard::node
