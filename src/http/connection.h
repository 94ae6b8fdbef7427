#pragma once

#include "base/notifier.h"
#include "base/task_group.h"
#include "http/server.h"
#include "http/stream.h"
#include "http/tls.h"
#include "http/wire/parser.h"

#include <boost/asio/cancellation_signal.hpp>
#include <boost/beast/core/flat_buffer.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>

namespace trainyard::http {

class Connection;

/// What the connections of one server share. Owned by the Server, outlives them all.
struct ServerContext {
  ServerContext(Executor executor, ServerOptions server_options, Handler& request_handler)
      : options(std::move(server_options)), handler(request_handler), tasks(std::move(executor)) {}

  ServerOptions options;
  Handler& handler;
  TaskGroup tasks;
  TlsContext tls;  // null: plain HTTP
  std::unordered_set<Connection*> connections;
  // Counted once a second. Deadlines are in this count, so that a request costs no timer.
  std::int64_t second = 0;
  std::string date_field;  // "Date: …" with its line end, renewed every second
};

/// One client's connection: reads requests, lets the handler answer them one after the other.
/// Lives on the loop thread; kept alive by its tasks, run() and, during streams, watch_client().
/// Ends when the client closes, on a broken request, by deadline, or by cancel().
class Connection final : public ResponseWriter, public std::enable_shared_from_this<Connection> {
 public:
  Connection(ServerContext& context, tcp::socket socket);
  ~Connection() override;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// The whole life of a connection, as a task.
  static awaitable<void> run(std::shared_ptr<Connection> self);
  /// Cancels the handler's coroutine and closes the socket; run() ends soon after.
  void cancel();
  /// Ends the connection when what it waits for is overdue.
  void check_deadline();

  awaitable<Result<>> send(Response response) override;
  awaitable<Result<>> start(int status, Headers headers) override;
  awaitable<Result<>> write(std::string chunk) override;
  awaitable<Result<>> finish() override;
  awaitable<Result<std::unique_ptr<WebSocket>>> upgrade(std::string subprotocol) override;
  awaitable<Result<std::unique_ptr<Tunnel>>> switch_protocols(Headers headers) override;
  awaitable<Result<std::string>> read_body() override;
  bool answered() const override { return answer_ != Answer::kNone; }

 private:
  //          send()
  //   kNone ────────────────────────> kComplete
  //     │ start()            finish() ↑
  //     ├────────> kStreaming ────────┘
  //     │ upgrade()
  //     └────────> kUpgraded            (no further request on this connection)
  enum class Answer : std::uint8_t { kNone, kStreaming, kComplete, kUpgraded };

  awaitable<void> serve();
  awaitable<bool> accept_tls();
  awaitable<bool> read_request();
  awaitable<bool> fill();
  /// Gives what has arrived to the parser. An error is what is wrong with it.
  ErrorCode parse();
  bool body_is_streamed() const { return context_.options.stream_bodies || parser_->is_streamed(); }
  bool body_was_read() const { return parser_->is_done(); }
  awaitable<void> refuse(ErrorCode failure);
  awaitable<void> refuse(Response response);
  awaitable<void> answer_request();
  awaitable<std::string> run_handler(Request request);
  static awaitable<void> watch_client(std::shared_ptr<Connection> self);

  void begin_answer();
  void begin_head(int status, const Headers& headers);
  awaitable<Result<>> write_output(std::string body);
  void expire_after(int seconds) { deadline_ = context_.second + seconds + 1; }
  std::shared_ptr<Stream> hand_over();
  Error lose_client();
  Error gone() const;

  static constexpr std::int64_t kNever = INT64_MAX;

  ServerContext& context_;
  Stream stream_;
  std::string peer_;
  std::optional<PeerCertificate> certificate_;  // found at the handshake
  boost::asio::cancellation_signal cancel_;
  bool closing_ = false;  // cancelled, or the client is known to have gone
  bool cancelled_ = false;
  bool graceful_ = false;  // worth a goodbye, so that the client gets our last answer
  std::int64_t deadline_ = kNever;

  boost::beast::flat_buffer input_;  // received and not yet parsed
  std::optional<RequestParser> parser_;
  bool watching_ = false;  // watch_client() has a read under way
  Notifier arrived_;       // watch_client() has put something into input_, or ended

  // Of the request being answered:
  Answer answer_ = Answer::kNone;
  bool keep_alive_ = true;
  bool chunked_ = true;     // false for HTTP/1.0: the end of the connection ends the body
  bool head_only_ = false;  // HEAD
  std::optional<std::uint64_t> promised_;  // bytes still to come of an answer of known length
  std::string method_;
  std::string target_;
  Headers upgrade_fields_;  // the request's, when it asks for a WebSocket
  std::string output_;      // reused: header lines and chunks under way
};

}  // namespace trainyard::http
