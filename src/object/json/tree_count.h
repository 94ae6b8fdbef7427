#pragma once

#include <cstdint>

namespace trainyard {

/// How many trees stored objects have made of their texts since the program started: whoever lets
/// trees go knows by it when many have come together.
std::uint64_t trees_made();

}  // namespace trainyard
