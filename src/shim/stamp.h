#pragma once

#include <cstdint>
#include <ctime>
#include <string>

namespace trainyard::shim {

/// "2026-11-16T01:02:03.123456789Z": always nine digits, so that stamps also sort as text.
std::string format_stamp(const timespec& time);

/// The wall clock, for people.
timespec wall_now();
/// Milliseconds that never go back, for intervals.
std::int64_t steady_ms();

}  // namespace trainyard::shim
