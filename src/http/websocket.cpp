#include "http/websocket.h"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/websocket/stream.hpp>

#include <utility>

namespace trainyard::http {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace websocket = boost::beast::websocket;

namespace {

constexpr std::size_t kMessageLimit = 4 << 20;

class BeastWebSocket final : public WebSocket {
 public:
  explicit BeastWebSocket(std::shared_ptr<Stream> stream)
      : stream_(std::move(stream)), socket_(*stream_) {
    // Pings an idle client and drops one that does not answer, so that the sessions of vanished
    // machines end.
    socket_.set_option(websocket::stream_base::timeout::suggested(beast::role_type::server));
    socket_.read_message_max(kMessageLimit);
    socket_.auto_fragment(false);  // whole messages: fewer packets, and no copy into a small buffer
  }

  awaitable<Result<>> accept(const Headers& request, const std::string& subprotocol) {
    beast::http::request<beast::http::empty_body> upgrade(beast::http::verb::get, "/", 11);
    for (const auto& [name, value] : request.all()) upgrade.insert(name, value);
    if (!subprotocol.empty()) {
      socket_.set_option(
          websocket::stream_base::decorator([subprotocol](websocket::response_type& response) {
            response.set(beast::http::field::sec_websocket_protocol, subprotocol);
          }));
    }
    const auto [failure] = co_await socket_.async_accept(upgrade, kAsTuple);
    // The WebSocket category means that the request was not good; Beast has answered it with 400.
    const ErrorCode not_an_upgrade = websocket::error::no_connection_upgrade;
    if (failure && failure.category() == not_an_upgrade.category()) {
      co_return Error(Code::kBadRequest, "not a WebSocket request: " + failure.message());
    }
    if (failure) co_return Error(Code::kCancelled, "the client has gone: " + failure.message());
    co_return Ok();
  }

  awaitable<Result<Message>> read() override {
    Message message;
    auto buffer = asio::dynamic_buffer(message.data);
    const auto [failure, size] = co_await socket_.async_read(buffer, kAsTuple);
    if (failure == websocket::error::message_too_big) {
      co_return Error(Code::kTooLarge, "WebSocket message of more than 4 MiB");
    }
    if (failure) co_return Error(Code::kCancelled, "WebSocket closed: " + failure.message());
    message.binary = socket_.got_binary();
    co_return message;
  }

  awaitable<Result<>> write(Message message) override {
    socket_.binary(message.binary);
    const auto [failure, size] = co_await socket_.async_write(asio::buffer(message.data), kAsTuple);
    if (failure) co_return Error(Code::kCancelled, "WebSocket closed: " + failure.message());
    co_return Ok();
  }

  awaitable<void> close() override {
    // Fails when the other side was faster; closed it is in any case.
    co_await socket_.async_close(websocket::close_code::normal, kAsTuple);
  }

 private:
  std::shared_ptr<Stream> stream_;
  websocket::stream<Stream&> socket_;
};

}  // namespace

awaitable<Result<std::unique_ptr<WebSocket>>> accept_websocket(std::shared_ptr<Stream> stream,
                                                               Headers request,
                                                               std::string subprotocol) {
  auto socket = std::make_unique<BeastWebSocket>(std::move(stream));
  CO_TRY_OK(co_await socket->accept(request, subprotocol));
  std::unique_ptr<WebSocket> result = std::move(socket);
  co_return result;
}

}  // namespace trainyard::http
