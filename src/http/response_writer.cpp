// The half of Connection that handlers see: ResponseWriter.

#include "base/words/text.h"
#include "http/connection.h"
#include "http/websocket.h"
#include "http/wire.h"

#include <boost/asio/write.hpp>

#include <array>
#include <utility>

namespace trainyard::http {

namespace asio = boost::asio;

namespace {

// A buffer that once carried a large chunk is given back, or each watch would keep its peak.
constexpr std::size_t kKeptOutput = 64 << 10;
constexpr std::size_t kTunnelRead = 16 << 10;

/// The server's side of a connection that has left HTTP.
class ServerTunnel final : public Tunnel {
 public:
  explicit ServerTunnel(std::shared_ptr<Stream> stream) : stream_(std::move(stream)) {}

  awaitable<Result<std::string>> read() override {
    std::string bytes(kTunnelRead, '\0');
    const auto [failure, size] = co_await stream_->async_read_some(asio::buffer(bytes), kAsTuple);
    if (failure && failure != asio::error::eof) {
      co_return Error(Code::kCancelled, "the client has gone: " + failure.message());
    }
    bytes.resize(size);
    co_return bytes;
  }
  awaitable<Result<>> write(std::string bytes) override {
    const auto [failure, size] =
        co_await asio::async_write(*stream_, asio::buffer(bytes), kAsTuple);
    if (failure) co_return Error(Code::kCancelled, "the client has gone: " + failure.message());
    co_return Ok();
  }

 private:
  std::shared_ptr<Stream> stream_;
};

Error answered_already() {
  return Error(Code::kInternal, "the request was answered already");
}

}  // namespace

awaitable<Result<std::unique_ptr<Tunnel>>> ResponseWriter::switch_protocols(Headers /*headers*/) {
  co_return Error(Code::kInternal, "this answer cannot leave HTTP");
}

awaitable<Result<std::string>> ResponseWriter::read_body() {
  co_return std::string();  // the request came with all of it
}

Error Connection::gone() const {
  return Error(Code::kCancelled, "the client " + peer_ + " has gone");
}

Error Connection::lose_client() {
  // Only a stream's handler is cancelled. One that sends its answer whole may have work to finish
  // after it, which does not depend on who reads the answer.
  if (answer_ == Answer::kStreaming) {
    cancel();
  } else {
    closing_ = true;
    stream_.close();
  }
  return gone();
}

void Connection::begin_head(int status, const Headers& headers) {
  const std::optional<std::string_view> connection = headers.find("Connection");
  if (connection && equal_ignoring_case(*connection, "close")) keep_alive_ = false;
  if (!body_was_read()) keep_alive_ = false;  // where the next request begins is not known
  output_.clear();
  append_status_line(output_, status);
  output_.append(context_.date_field);
  append_fields(output_, headers);
  if (!keep_alive_) {
    output_.append("Connection: close\r\n");
  } else if (!chunked_) {
    output_.append("Connection: keep-alive\r\n");  // HTTP/1.0 needs to be told
  }
}

awaitable<Result<>> Connection::write_output(std::string body) {
  const std::array<asio::const_buffer, 2> both{asio::buffer(output_), asio::buffer(body)};
  ErrorCode failure;
  if (body.empty()) {
    std::tie(failure, std::ignore) = co_await asio::async_write(stream_, both[0], kAsTuple);
  } else {
    std::tie(failure, std::ignore) = co_await asio::async_write(stream_, both, kAsTuple);
  }
  if (output_.capacity() > kKeptOutput) output_ = std::string();
  if (failure) co_return lose_client();
  co_return Ok();
}

awaitable<Result<>> Connection::send(Response response) {
  if (closing_) co_return gone();
  if (answer_ != Answer::kNone) co_return answered_already();
  answer_ = Answer::kComplete;
  begin_head(response.status, response.headers);
  const bool has_body = status_has_body(response.status);
  if (has_body) append_length(output_, response.body.size());
  output_.append("\r\n");
  if (head_only_ || !has_body) response.body.clear();
  co_return co_await write_output(std::move(response.body));
}

awaitable<Result<>> Connection::start(int status, Headers headers) {
  if (closing_) co_return gone();
  if (answer_ != Answer::kNone) co_return answered_already();
  answer_ = Answer::kStreaming;
  promised_ = content_length(headers);
  if (!chunked_ && !promised_) keep_alive_ = false;
  begin_head(status, headers);
  if (promised_) {
    append_length(output_, *promised_);
    output_.append("\r\n");
  } else {
    output_.append(chunked_ ? "Transfer-Encoding: chunked\r\n\r\n" : "\r\n");
  }
  CO_TRY_OK(co_await write_output(std::string()));
  // Who is still sending shows by that that they are there.
  if (!watching_ && body_was_read()) {
    watching_ = true;
    context_.tasks.spawn_contained("http client watch", watch_client(shared_from_this()));
  }
  co_return Ok();
}

awaitable<Result<>> Connection::write(std::string chunk) {
  if (closing_) co_return gone();
  if (answer_ != Answer::kStreaming) {
    co_return Error(Code::kInternal, "write() outside start() and finish()");
  }
  if (chunk.empty() || head_only_) co_return Ok();
  output_.clear();
  if (promised_) {
    if (chunk.size() > *promised_) {
      co_return Error(Code::kInternal, "the answer is longer than its Content-Length");
    }
    *promised_ -= chunk.size();
    co_return co_await write_output(std::move(chunk));
  }
  if (!chunked_) co_return co_await write_output(std::move(chunk));
  append_chunk(output_, chunk);
  co_return co_await write_output(std::string());
}

awaitable<Result<>> Connection::finish() {
  if (closing_) co_return gone();
  if (answer_ != Answer::kStreaming) {
    co_return Error(Code::kInternal, "finish() without start()");
  }
  if (promised_.value_or(0) > 0 && !head_only_) {
    co_return Error(Code::kInternal, "the answer is shorter than its Content-Length");
  }
  answer_ = Answer::kComplete;
  if (head_only_ || !chunked_ || promised_) co_return Ok();
  output_ = "0\r\n\r\n";
  co_return co_await write_output(std::string());
}

awaitable<Result<std::unique_ptr<WebSocket>>> Connection::upgrade(std::string subprotocol) {
  if (closing_) co_return gone();
  if (answer_ != Answer::kNone) co_return answered_already();
  if (upgrade_fields_.all().empty()) {
    Response response = error_response(400, "BadRequest", "this path speaks WebSocket only");
    CO_TRY_OK(co_await send(std::move(response)));
    co_return Error(Code::kBadRequest, "not a WebSocket request");
  }
  answer_ = Answer::kUpgraded;
  co_return co_await accept_websocket(hand_over(), std::move(upgrade_fields_),
                                      std::move(subprotocol));
}

std::shared_ptr<Stream> Connection::hand_over() {
  // What came right behind the request.
  stream_.unread(std::string(static_cast<const char*>(input_.data().data()), input_.size()));
  input_.consume(input_.size());
  return {shared_from_this(), &stream_};
}

awaitable<Result<std::unique_ptr<Tunnel>>> Connection::switch_protocols(Headers headers) {
  if (closing_) co_return gone();
  if (answer_ != Answer::kNone) co_return answered_already();
  answer_ = Answer::kUpgraded;
  output_.clear();
  append_status_line(output_, 101);
  append_fields(output_, headers);
  output_.append("Connection: Upgrade\r\n\r\n");
  CO_TRY_OK(co_await write_output(std::string()));
  std::unique_ptr<Tunnel> tunnel = std::make_unique<ServerTunnel>(hand_over());
  co_return tunnel;
}

awaitable<Result<std::string>> Connection::read_body() {
  bool has_input = input_.size() > 0;  // not looked at yet; what is left of a look is not enough
  for (;;) {
    std::string part = parser_->take_body();
    if (!part.empty() || parser_->is_done()) co_return part;
    if (closing_) co_return gone();
    if (!std::exchange(has_input, false)) {
      expire_after(context_.options.header_timeout_seconds);
      const bool more = co_await fill();
      deadline_ = kNever;
      if (!more) co_return lose_client();
    }
    if (const ErrorCode failure = parse()) {
      co_return Error(Code::kBadRequest, "malformed body: " + failure.message());
    }
  }
}

}  // namespace trainyard::http
