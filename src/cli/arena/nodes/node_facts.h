#pragma once

#include "object/values/metadata.h"

#include <string>
#include <string_view>

/// What Arena tells of a node.
namespace trainyard::cli::arena {

inline constexpr std::string_view kUnknownAddress = "unknown";

/// Its InternalIP, or `unknown`.
std::string node_address(const Json& node);
/// Its roles, sorted and joined by commas, or `<none>`.
std::string node_roles(const Json& node);
bool node_is_ready(const Json& node);
/// GPUs that it has, and those of them that can be given out.
std::int64_t node_gpus(const Json& node);
std::int64_t usable_gpus(const Json& node);

/// How its GPUs are given out.
enum class GpuMode : std::uint8_t { kNone, kExclusive, kTopology, kShare };
GpuMode gpu_mode(const Json& node);
/// none, exclusive, topology, share.
std::string gpu_mode_name(GpuMode mode);

}  // namespace trainyard::cli::arena
