#pragma once

#include <cstddef>

/// Fields of /proc/PID/stat, numbered as in proc(5).
namespace trainyard::node::stat_fields {

inline constexpr std::size_t kParent = 4;
inline constexpr std::size_t kUserTicks = 14;  // then: system, and both of children that have ended
inline constexpr std::size_t kSystemTicks = 15;
inline constexpr std::size_t kThreads = 20;
inline constexpr std::size_t kStart = 22;
inline constexpr std::size_t kResidentPages = 24;

}  // namespace trainyard::node::stat_fields
