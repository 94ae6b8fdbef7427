#pragma once

#include "http/server.h"
#include "http/tunnel.h"
#include "http/wire/message.h"

#include <memory>
#include <string>

namespace trainyard::http {

/// Adds what asks for a WebSocket. The request must be sent with `upgrade`.
void ask_for_websocket(Headers& headers, const std::string& subprotocol);

/// The WebSocket that a server has agreed to with 101, as its client sees it. read() and write()
/// may be awaited at the same time, each once.
std::unique_ptr<WebSocket> join_websocket(std::unique_ptr<Tunnel> tunnel);

}  // namespace trainyard::http
