#pragma once

#include <cerrno>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

namespace trainyard::shim {

/// Exit codes of containers that never ran, as shells and Kubernetes know them.
inline constexpr int kNotExecutable = 126;
inline constexpr int kNotFound = 127;
inline constexpr int kCannotStart = 128;

/// Why a container did not start, in words for its owner: what, where, what to do.
struct Failure {
  std::string message;
  int code = kCannotStart;
};

/// Nothing in it: it worked. (No exceptions here, and no Result of base/: the shim uses no room.)
using MaybeFailure = std::optional<Failure>;

/// "<what>: No such file or directory". Reads errno before anything can change it.
inline Failure errno_failure(std::string what, int code = kCannotStart) {
  int error = errno;
  return {std::move(what) + ": " + std::strerror(error), code};
}

}  // namespace trainyard::shim
