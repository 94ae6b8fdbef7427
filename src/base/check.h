#pragma once

namespace trainyard {
[[noreturn]] void check_failed(const char* condition, const char* file, int line);
}  // namespace trainyard

/// A broken invariant ends the process at once: state is in the store, a restart is cheap, and
/// going on could spoil it.
#define CHECK(condition) \
  ((condition) ? static_cast<void>(0) : trainyard::check_failed(#condition, __FILE__, __LINE__))
