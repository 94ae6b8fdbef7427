#pragma once

#include "base/async.h"
#include "base/clock.h"
#include "base/result.h"
#include "http/tunnel.h"
#include "http/wire/message.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace trainyard::http {

/// One upgraded connection. read() and write() may be awaited at the same time, each once.
class WebSocket {
 public:
  struct Message {
    bool binary = false;
    std::string data;
  };
  virtual ~WebSocket() = default;
  /// kCancelled when the other side has closed.
  virtual awaitable<Result<Message>> read() = 0;
  virtual awaitable<Result<>> write(Message message) = 0;
  virtual awaitable<void> close() = 0;
};

/// Where a handler puts its answer: send() once, or start() then write()… then finish(), or
/// upgrade() or switch_protocols() once. Every call returns kCancelled when the client has gone.
class ResponseWriter {
 public:
  virtual ~ResponseWriter() = default;
  virtual awaitable<Result<>> send(Response response) = 0;
  /// Begins an answer in parts: chunked, unless the headers tell its Content-Length. From here on a
  /// client that closes its connection cancels the handler's coroutine, wherever it waits.
  virtual awaitable<Result<>> start(int status, Headers headers) = 0;
  /// Returns when the bytes were taken by the socket, so a slow client slows only its own handler.
  virtual awaitable<Result<>> write(std::string chunk) = 0;
  virtual awaitable<Result<>> finish() = 0;
  /// Turns the connection into a WebSocket, with `subprotocol` when it is not empty.
  virtual awaitable<Result<std::unique_ptr<WebSocket>>> upgrade(std::string subprotocol) = 0;
  /// Answers with 101 and these headers; from here on the connection carries whatever they agreed.
  virtual awaitable<Result<std::unique_ptr<Tunnel>>> switch_protocols(Headers headers);
  /// Where ServerOptions say that bodies are streamed: the next part of the request's body as it
  /// comes; empty at its end. To be read before the answer is begun; what is left then ends the
  /// connection.
  virtual awaitable<Result<std::string>> read_body();
  /// Whether send(), start(), upgrade() or switch_protocols() was called.
  virtual bool answered() const = 0;
};

class Handler {
 public:
  virtual ~Handler() = default;
  /// Answers one request. A handler that returns without an answer becomes a 500.
  virtual awaitable<void> handle(Request request, ResponseWriter& writer) = 0;
};

/// Certificate chain and key in PEM.
struct TlsIdentity {
  std::string certificate_pem;
  std::string key_pem;
};

struct ServerOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;            // 0: any free one, see Server::port()
  int listening = -1;                // a socket that listens there already; becomes the server's
  std::optional<TlsIdentity> tls;    // none: plain HTTP
  std::string client_ca_pem;         // whose client certificates count; empty: none is asked for
  std::size_t body_limit = 3 << 20;  // larger bodies are answered with 413
  bool stream_bodies = false;        // handlers read bodies themselves, of any size: read_body()
  // The same for the requests of which it says so. They have no headers yet when it is asked.
  std::function<bool(const Request&)> streams_body;
  int header_timeout_seconds = 30;  // for a request's header and body to arrive
  int idle_timeout_seconds = 600;   // for the next request on a kept connection
};

/// A listener and its connections, all on one executor. HTTP/1.1 with keep-alive.
class Server {
 public:
  Server(Executor executor, Clock& clock, ServerOptions options, Handler& handler);
  ~Server();
  /// Binds the port. kUnavailable when it is taken, kUnsupported when the machine has no such
  /// address; the message names address and port.
  Result<> listen();
  void start();
  /// Closes the listener, cancels every handler and returns when all have ended.
  awaitable<void> stop();
  std::uint16_t port() const;
  /// The socket that listens.
  int listener() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace trainyard::http
