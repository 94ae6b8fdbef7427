#pragma once

#include "base/clock.h"
#include "console/sessions.h"
#include "http/server.h"

#include <memory>
#include <string>

namespace trainyard::console {

/// A WebSocket cannot be asked for with a header of ours: the session's secret is its first
/// message, {"secret": "…"}, and nothing happens before it. Null when it does not come, or is not
/// the session's; the other side is told.
awaitable<std::unique_ptr<http::WebSocket>> open_guarded(Clock& clock, http::ResponseWriter& writer,
                                                         std::string subprotocol,
                                                         LoginSessionPtr session);

/// For a handler that opens the WebSocket itself: hands out one that is open already. A refusal
/// becomes the last message, as commands in containers end: a byte that says so, and a Status.
class OpenedWriter final : public http::ResponseWriter {
 public:
  OpenedWriter(std::unique_ptr<http::WebSocket> socket, std::string subprotocol)
      : socket_(std::move(socket)), subprotocol_(std::move(subprotocol)) {}

  awaitable<Result<>> send(http::Response response) override;
  awaitable<Result<>> start(int status, http::Headers headers) override;
  awaitable<Result<>> write(std::string chunk) override;
  awaitable<Result<>> finish() override;
  awaitable<Result<std::unique_ptr<http::WebSocket>>> upgrade(std::string subprotocol) override;
  bool answered() const override { return socket_ == nullptr; }

 private:
  std::unique_ptr<http::WebSocket> socket_;
  std::string subprotocol_;
};

}  // namespace trainyard::console
