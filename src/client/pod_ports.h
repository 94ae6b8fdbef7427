#pragma once

#include "base/async.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "object/metadata.h"

#include <cstdint>

namespace trainyard::client {

/// Ways into pods, for whoever passes on what others send: a proxy for TensorBoard or a notebook.
/// The node makes them, also into pods that have a private network (the annotation
/// trainyard.dev/network: private), which nobody else on the machine can reach.
class PodPorts {
 public:
  virtual ~PodPorts() = default;
  /// A stream socket that is connected to a port of the pod, for http::ClientOptions::dial or bytes
  /// of any kind. kUnavailable or kTimeout when nobody answers there, kBadRequest when the pod does
  /// not run.
  virtual awaitable<Result<UniqueFd>> connect(Key pod, std::uint16_t port) = 0;
};

}  // namespace trainyard::client
