#pragma once

#include "base/async.h"
#include "base/result.h"
#include "http/client.h"
#include "http/stream.h"
#include "http/tls.h"
#include "http/wire/parser.h"
#include "http/wire/url.h"

#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>

#include <memory>
#include <optional>
#include <string>

namespace trainyard::http {

/// What the connections of one client share. Shared because a stream may outlive its Client.
struct ClientContext {
  Executor executor;
  ClientOptions options;
  ServerAddress address;
  TlsContext tls;  // null: plain HTTP
};

/// One connection to the server, one request at a time. Shared with nobody but the timers that
/// watch over connect() and over a request. Destroying it closes it.
class ClientConnection {
 public:
  explicit ClientConnection(std::shared_ptr<const ClientContext> context);

  /// Connects, or says kUnavailable with address and cause.
  static awaitable<Result<>> connect(std::shared_ptr<ClientConnection> connection);
  /// Ends whatever is under way with an error, at once.
  void abort();

  /// Sends a request and reads the header of its answer. `request` must live until it returns.
  awaitable<Result<>> begin(const ClientRequest& request);
  /// After a failed begin(): whether the server had sent nothing, as when it had closed this
  /// connection while it was idle.
  bool heard_nothing() const { return !heard_; }

  const ResponseParser& answer() const { return *parser_; }
  /// The next part of the body as soon as there is one; empty at the end.
  awaitable<Result<std::string>> read_body();
  /// The rest of the body.
  awaitable<Result<std::string>> read_all();
  /// After an answer 101: bytes of the protocol that was agreed on; empty at their end.
  awaitable<Result<std::string>> read_raw();
  awaitable<Result<>> write_raw(std::string bytes);
  /// Whether another request may follow, once the body was read.
  bool reusable() const { return parser_ && parser_->is_done() && parser_->keep_alive(); }
  /// Looks, without waiting, whether the server has closed this idle connection.
  bool stale();

 private:
  awaitable<Result<>> dial();
  awaitable<ErrorCode> dial_tcp();
  awaitable<Result<>> take_socket();
  awaitable<Result<>> read_answer(bool head_only);
  awaitable<Result<>> send_parts(const ClientRequest& request);
  awaitable<Result<>> send_all(const ClientRequest& request);
  awaitable<Result<>> fill();
  void format_head(const ClientRequest& request);
  Error unreachable(const std::string& cause) const;
  Error lost(ErrorCode failure) const;

  std::shared_ptr<const ClientContext> context_;
  Stream stream_;
  tcp::resolver resolver_;
  boost::asio::steady_timer connect_timer_;
  bool timed_out_ = false;
  bool heard_ = false;  // any byte of the current answer
  boost::beast::flat_buffer input_;
  std::optional<ResponseParser> parser_;
  std::string output_;
};

}  // namespace trainyard::http
