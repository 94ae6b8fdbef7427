#pragma once

#include "http/server.h"
#include "http/stream.h"

#include <memory>
#include <string>

namespace trainyard::http {

/// Completes the handshake that `request` began and takes the stream over. `stream` is shared
/// because a pending ping may end after the handler has dropped its WebSocket.
awaitable<Result<std::unique_ptr<WebSocket>>> accept_websocket(std::shared_ptr<Stream> stream,
                                                               Headers request,
                                                               std::string subprotocol);

}  // namespace trainyard::http
