#pragma once

#include "base/notifier.h"
#include "client/pod_sessions.h"
#include "http/server.h"

#include <memory>

namespace trainyard::server {

/// Carries one session between a container and a WebSocket until either ends. The client's going
/// ends the command. A client that counts is sent no more than it can show: the command waits, as
/// it would at a slow terminal.
class SessionSocket {
 public:
  SessionSocket(const Executor& loop, std::unique_ptr<client::PodSession> session,
                client::SessionOptions options, std::unique_ptr<http::WebSocket> socket,
                bool counted)
      : session_(std::move(session)),
        options_(std::move(options)),
        socket_(std::move(socket)),
        counted_(counted),
        room_(loop) {}

  awaitable<void> run();

 private:
  awaitable<void> receive();
  awaitable<void> take(std::string message);
  awaitable<void> deliver();
  awaitable<Result<>> deliver_output();
  awaitable<Result<>> send(std::string message);
  awaitable<void> wait_for_room();

  std::unique_ptr<client::PodSession> session_;
  client::SessionOptions options_;
  std::unique_ptr<http::WebSocket> socket_;
  bool counted_;  // the client tells what it has shown
  std::size_t unshown_ = 0;
  bool gone_ = false;
  Notifier room_;
};

}  // namespace trainyard::server
