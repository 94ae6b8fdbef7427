#include "http/connection.h"

#include "base/log.h"
#include "base/unexpected.h"
#include "base/words/text.h"
#include "http/wire.h"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/error.hpp>
#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/sslerr.h>

#include <exception>
#include <utility>

namespace trainyard::http {

namespace asio = boost::asio;
using HttpError = boost::beast::http::error;

namespace {

// One TLS record: asking for more never gets more at once.
constexpr std::size_t kReadSize = 16 << 10;
// Must hold the largest header, which is parsed in one piece. Bodies do not collect here.
constexpr std::size_t kInputLimit = 256 << 10;
constexpr int kGoodbyeSeconds = 2;

std::string name_peer(const tcp::socket& socket) {
  ErrorCode failure;
  const tcp::endpoint peer = socket.remote_endpoint(failure);
  if (failure) return "unknown";
  const std::string address = peer.address().to_string();
  if (peer.address().is_v6()) return fmt::format("[{}]:{}", address, peer.port());
  return fmt::format("{}:{}", address, peer.port());
}

bool asks_for_websocket(const Request& request) {
  const std::optional<std::string_view> upgrade = request.headers.find("Upgrade");
  return upgrade && equal_ignoring_case(*upgrade, "websocket");
}

}  // namespace

Connection::Connection(ServerContext& context, tcp::socket socket)
    : context_(context),
      stream_(std::move(socket), context.tls.get()),
      peer_(name_peer(stream_.socket())),
      input_(kInputLimit),
      arrived_(context.tasks.executor()) {
  context_.connections.insert(this);
}

Connection::~Connection() {
  context_.connections.erase(this);
}

awaitable<void> Connection::run(std::shared_ptr<Connection> self) {
  // The group's cancellation only comes after cancel(), which is what ends serve(); this frame has
  // to stay to see that end.
  co_await asio::this_coro::throw_if_cancelled(false);
  // A coroutine of its own, because watch_client() must be able to cancel it.
  const auto [failure] =
      co_await asio::co_spawn(self->context_.tasks.executor(), self->serve(),
                              asio::bind_cancellation_slot(self->cancel_.slot(), kAsTuple));
  if (failure && !self->closing_) {
    log_error("http connection failed", {{"peer", self->peer_}, {"what", describe(failure)}});
  }
  self->closing_ = true;
  self->stream_.close();
  if (self->answer_ == Answer::kUpgraded) {
    // Beast may have a ping under way that refers to the stream. With the socket closed it ends
    // within a turn or two of the loop: wait for that before the stream goes.
    for (int turn = 0; turn < 4; ++turn) co_await asio::post(asio::use_awaitable);
  }
}

void Connection::cancel() {
  if (std::exchange(cancelled_, true)) return;
  closing_ = true;
  cancel_.emit(asio::cancellation_type::terminal);
  stream_.close();  // also ends what cannot be cancelled, such as a close handshake
}

void Connection::check_deadline() {
  if (context_.second < deadline_) return;
  deadline_ = kNever;
  cancel();
}

awaitable<void> Connection::serve() {
  bool more = co_await accept_tls();
  bool first = true;
  while (more && !closing_) {
    // A new connection has to say something soon; one that is kept may rest.
    expire_after(first ? context_.options.header_timeout_seconds
                       : context_.options.idle_timeout_seconds);
    first = false;
    more = co_await read_request();
    deadline_ = kNever;
    if (!more) break;
    co_await answer_request();
    more = keep_alive_;
  }
  if (graceful_ && !closing_) {
    expire_after(kGoodbyeSeconds);
    co_await stream_.close_gracefully();
  }
}

awaitable<bool> Connection::accept_tls() {
  expire_after(context_.options.header_timeout_seconds);
  const ErrorCode failure = co_await stream_.handshake(asio::ssl::stream_base::server);
  if (!failure) {
    if (!context_.options.client_ca_pem.empty()) certificate_ = verified_peer(stream_.ssl());
    co_return true;
  }
  if (failure.category() == asio::error::get_ssl_category() &&
      ERR_GET_REASON(static_cast<unsigned long>(failure.value())) == SSL_R_HTTP_REQUEST) {
    // Somebody typed http:// for https://. Go's server says so too; a reset connection puzzles.
    static constexpr std::string_view kHint =
        "HTTP/1.0 400 Bad Request\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n"
        "Client sent an HTTP request to an HTTPS server.\n";
    co_await asio::async_write(stream_.socket(), asio::buffer(kHint), kAsTuple);
  } else if (!closing_) {
    log_debug("TLS handshake failed", {{"peer", peer_}, {"cause", failure.message()}});
  }
  co_return false;
}

ErrorCode Connection::parse() {
  ErrorCode failure;
  input_.consume(parser_->put(input_.cdata(), failure));
  if (failure == HttpError::need_more) failure = {};
  return failure;
}

awaitable<bool> Connection::read_request() {
  const ServerOptions& options = context_.options;
  parser_.emplace(options.stream_bodies ? boost::optional<std::uint64_t>()
                                        : boost::optional<std::uint64_t>(options.body_limit));
  parser_->stream_where(options.streams_body);
  bool continued = false;
  for (bool begun = false;;) {
    if (input_.size() > 0) {
      if (!begun) expire_after(context_.options.header_timeout_seconds);
      begun = true;
      if (const ErrorCode failure = parse()) {
        co_await refuse(failure);
        co_return false;
      }
      if (parser_->is_done()) co_return true;
      if (!continued && parser_->is_header_done() && parser_->expects_continue()) {
        continued = true;
        output_ = "HTTP/1.1 100 Continue\r\n\r\n";
        if (!co_await write_output(std::string())) co_return false;
      }
      if (body_is_streamed() && parser_->is_header_done()) co_return true;
    }
    if (!co_await fill()) co_return false;
  }
}

awaitable<bool> Connection::fill() {
  if (watching_) {  // left over from a stream: its read gets the next bytes
    const std::size_t before = input_.size();
    while (watching_ && !closing_ && input_.size() == before) co_await arrived_.wait();
    if (closing_) co_return false;
    if (input_.size() > before) co_return true;
  }
  if (input_.size() > kInputLimit - kReadSize) co_return false;  // an endless chunk header, say
  const auto [failure, size] =
      co_await stream_.async_read_some(input_.prepare(kReadSize), kAsTuple);
  input_.commit(size);
  co_return !failure;
}

awaitable<void> Connection::refuse(ErrorCode failure) {
  Response response;
  if (failure == HttpError::body_limit) {
    response = error_response(
        413, "RequestEntityTooLarge",
        fmt::format("the body is larger than the limit of {} bytes", context_.options.body_limit));
  } else if (failure == HttpError::header_limit) {
    response = error_response(431, "BadRequest", "the header is too large");
  } else {
    response = error_response(400, "BadRequest", "malformed HTTP request: " + failure.message());
  }
  co_await refuse(std::move(response));
}

awaitable<void> Connection::refuse(Response response) {
  begin_answer();
  keep_alive_ = false;  // where the next request would begin is unknown
  head_only_ = false;
  const Result<> sent = co_await send(std::move(response));
  graceful_ = sent.has_value();
}

void Connection::begin_answer() {
  answer_ = Answer::kNone;
  promised_.reset();
  chunked_ = parser_->version() == 11;
  upgrade_fields_ = Headers();
}

awaitable<void> Connection::answer_request() {
  begin_answer();
  keep_alive_ = parser_->keep_alive();
  Request request = body_is_streamed() ? parser_->take_head() : parser_->take();
  if (request.headers.count("Host") > 1) {
    // Which of them a handler believes must not depend on the handler (RFC 9112, 3.2).
    co_return co_await refuse(
        error_response(400, "BadRequest", "the request has two Host headers"));
  }
  request.peer = peer_;
  request.certificate = certificate_;
  method_ = request.method;
  target_ = request.target;
  head_only_ = method_ == "HEAD";
  if (asks_for_websocket(request)) upgrade_fields_ = request.headers;

  const std::string failure_id = co_await run_handler(std::move(request));
  if (closing_ || answer_ == Answer::kStreaming || answer_ == Answer::kUpgraded ||
      !body_was_read()) {
    keep_alive_ = false;
  }
  if (closing_) co_return;
  const bool open = answer_ == Answer::kNone || answer_ == Answer::kStreaming;
  if (open && failure_id.empty()) {
    log_error("http handler returned before its answer was complete",
              {{"method", method_}, {"target", target_}});
  }
  if (answer_ == Answer::kNone) {
    Response response = error_response(
        500, "InternalError",
        failure_id.empty()
            ? "the server failed to answer"
            : fmt::format("the server failed to answer; its log says more beside the id {}",
                          failure_id));
    if (!co_await send(std::move(response))) co_return;
  }
  // A stream that broke off ends without its last chunk and without a goodbye: the client must see
  // that it is not whole.
  graceful_ = !keep_alive_ && answer_ != Answer::kStreaming;
}

awaitable<std::string> Connection::run_handler(Request request) {
  try {
    co_await context_.handler.handle(std::move(request), *this);
  } catch (...) {
    const std::exception_ptr failure = std::current_exception();
    if (!is_cancellation(failure)) {
      co_return contain(fmt::format("{} {}", method_, target_), failure);
    }
  }
  co_return std::string();
}

awaitable<void> Connection::watch_client(std::shared_ptr<Connection> self) {
  // Not into input_, which may be parsed, and so moved, while this read is under way.
  std::string bytes(4096, '\0');
  while (self->answer_ == Answer::kStreaming && self->input_.size() < kInputLimit / 2) {
    const auto [failure, size] =
        co_await self->stream_.async_read_some(asio::buffer(bytes), kAsTuple);
    if (failure) {
      self->cancel();
      break;
    }
    asio::buffer_copy(self->input_.prepare(size), asio::buffer(bytes));
    self->input_.commit(size);
    self->arrived_.notify_all();
  }
  self->watching_ = false;
  self->arrived_.notify_all();
}

}  // namespace trainyard::http
