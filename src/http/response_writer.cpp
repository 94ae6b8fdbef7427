// The half of Connection that handlers see: ResponseWriter.

#include "http/ascii.h"
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

Error answered_already() {
  return Error(Code::kInternal, "the request was answered already");
}

}  // namespace

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
  if (!chunked_) keep_alive_ = false;
  begin_head(status, headers);
  output_.append(chunked_ ? "Transfer-Encoding: chunked\r\n\r\n" : "\r\n");
  CO_TRY_OK(co_await write_output(std::string()));
  if (!watching_) {
    watching_ = true;
    context_.tasks.spawn("http client watch", watch_client(shared_from_this()));
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
  if (!chunked_) co_return co_await write_output(std::move(chunk));
  append_chunk(output_, chunk);
  co_return co_await write_output(std::string());
}

awaitable<Result<>> Connection::finish() {
  if (closing_) co_return gone();
  if (answer_ != Answer::kStreaming) {
    co_return Error(Code::kInternal, "finish() without start()");
  }
  answer_ = Answer::kComplete;
  if (head_only_ || !chunked_) co_return Ok();
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
  // Frames that came right behind the request.
  stream_.unread(std::string(static_cast<const char*>(input_.data().data()), input_.size()));
  input_.consume(input_.size());
  std::shared_ptr<Stream> stream(shared_from_this(), &stream_);
  co_return co_await accept_websocket(std::move(stream), std::move(upgrade_fields_),
                                      std::move(subprotocol));
}

}  // namespace trainyard::http
