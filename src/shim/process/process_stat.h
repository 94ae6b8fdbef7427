#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace trainyard::shim {

// Fields of /proc/PID/stat, numbered as in proc(5).
inline constexpr int kStatParent = 4;
inline constexpr int kStatSession = 6;
inline constexpr int kStatStartTime = 22;

/// A numeric field after the program's name (which may itself contain spaces and brackets).
std::optional<std::uint64_t> stat_field(std::string_view stat, int number);

}  // namespace trainyard::shim
