#pragma once

#include "base/async.h"
#include "base/files/unique_fd.h"
#include "base/result.h"
#include "object/values/metadata.h"

#include <cstdint>
#include <string>

namespace trainyard::client {

/// On a pod: "private" gives it a network of its own, which only the server can reach into.
inline constexpr const char* kNetworkAnnotation = "trainyard.dev/network";

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
  /// The same for a socket file that the pod has put into one of its emptyDir volumes.
  virtual awaitable<Result<UniqueFd>> connect_file(Key pod, std::string volume,
                                                   std::string file) = 0;
};

}  // namespace trainyard::client
