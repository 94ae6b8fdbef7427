#pragma once

#include "base/async.h"
#include "base/result.h"

#include <string>

namespace trainyard::http {

/// A connection that has left HTTP, after 101 Switching Protocols: bytes in both directions. read()
/// and write() may be awaited at the same time, each once.
class Tunnel {
 public:
  virtual ~Tunnel() = default;
  /// The next bytes as they come, at most some 16 KiB; empty when the other side has ended.
  virtual awaitable<Result<std::string>> read() = 0;
  /// Returns when the bytes were taken by the socket.
  virtual awaitable<Result<>> write(std::string bytes) = 0;
};

/// Passes bytes on in both directions until one side has ended or is lost. Little is kept of what
/// one side sends faster than the other takes it.
awaitable<void> relay(Tunnel& one, Tunnel& other);

}  // namespace trainyard::http
