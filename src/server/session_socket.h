#pragma once

#include "client/pod_sessions.h"
#include "http/server.h"

#include <memory>

namespace trainyard::server {

/// Carries one session between a container and a WebSocket until either ends. The client's going
/// ends the command.
class SessionSocket {
 public:
  SessionSocket(std::unique_ptr<client::PodSession> session, client::SessionOptions options,
                std::unique_ptr<http::WebSocket> socket)
      : session_(std::move(session)), options_(std::move(options)), socket_(std::move(socket)) {}

  awaitable<void> run();

 private:
  awaitable<void> receive();
  awaitable<void> take(std::string message);
  awaitable<void> deliver();
  awaitable<Result<>> deliver_output();
  awaitable<Result<>> send(std::string message);

  std::unique_ptr<client::PodSession> session_;
  client::SessionOptions options_;
  std::unique_ptr<http::WebSocket> socket_;
};

}  // namespace trainyard::server
