#include "http/websocket.h"

#include "http/test_fixture.h"

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/ssl.hpp>
#include <boost/beast/websocket.hpp>
#include <boost/beast/websocket/ssl.hpp>

namespace trainyard::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace websocket = boost::beast::websocket;
using namespace std::chrono_literals;

using PlainSocket = websocket::stream<tcp::socket>;
using TlsSocket = websocket::stream<asio::ssl::stream<tcp::socket>>;

class WebSocketTest : public HttpTest {
 protected:
  tcp::endpoint endpoint() const {
    return tcp::endpoint(asio::ip::address_v4::loopback(), server_->port());
  }
};

awaitable<std::string> handshake(PlainSocket& socket, tcp::endpoint server, std::string target) {
  websocket::response_type response;
  co_await socket.next_layer().async_connect(server, asio::use_awaitable);
  co_await socket.async_handshake(response, "127.0.0.1", target, asio::use_awaitable);
  co_return std::string(response[beast::http::field::sec_websocket_protocol]);
}

template <class Socket>
awaitable<std::string> exchange(Socket& socket, std::string text) {
  co_await socket.async_write(asio::buffer(text), asio::use_awaitable);
  std::string answer;
  auto buffer = asio::dynamic_buffer(answer);
  co_await socket.async_read(buffer, asio::use_awaitable);
  co_return answer;
}

awaitable<ErrorCode> read_end(PlainSocket& socket) {
  beast::flat_buffer buffer;
  const auto [failure, size] = co_await socket.async_read(buffer, kAsTuple);
  co_return failure;
}

TEST_F(WebSocketTest, EchoesTextAndBinary) {
  serve_plain();
  PlainSocket socket(io_);
  EXPECT_EQ(run(handshake(socket, endpoint(), "/ws")), "");
  EXPECT_EQ(run(exchange(socket, "hello")), "hello");
  EXPECT_TRUE(socket.got_text());
  socket.binary(true);
  const std::string large(3'000'000, '\x80');
  EXPECT_EQ(run(exchange(socket, large)), large);
  EXPECT_TRUE(socket.got_binary());
}

TEST_F(WebSocketTest, NamesTheSubprotocol) {
  serve_plain();
  PlainSocket socket(io_);
  EXPECT_EQ(run(handshake(socket, endpoint(), "/ws?protocol=v5.channel.k8s.io")),
            "v5.channel.k8s.io");
}

TEST_F(WebSocketTest, ClosesWhenTheHandlerDoes) {
  serve_plain();
  PlainSocket socket(io_);
  run(handshake(socket, endpoint(), "/ws"));
  socket.write(asio::buffer(std::string("bye")));
  EXPECT_EQ(run(read_end(socket)), websocket::error::closed);
  EXPECT_EQ(socket.reason().code, websocket::close_code::normal);
}

TEST_F(WebSocketTest, EndsTheHandlersReadWhenTheClientCloses) {
  serve_plain();
  PlainSocket socket(io_);
  run(handshake(socket, endpoint(), "/ws"));
  socket.next_layer().close();
  EXPECT_TRUE(run_until_true([&] { return !handler_.write_error.empty(); }));
  EXPECT_EQ(handler_.write_error.substr(0, 16), "WebSocket closed");
}

TEST_F(WebSocketTest, RefusesMessagesOfMoreThan4MiB) {
  serve_plain();
  PlainSocket socket(io_);
  run(handshake(socket, endpoint(), "/ws"));
  EXPECT_THROW(run(exchange(socket, std::string(5 << 20, 'x'))), boost::system::system_error);
}

TEST_F(WebSocketTest, RefusesOrdinaryRequests) {
  serve_plain();
  Client client(io_.get_executor(), client_options());
  const Result<Response> response = run(client.request(get("/ws")));
  ASSERT_TRUE(response) << response.error().message();
  EXPECT_EQ(response->status, 400);
}

TEST_F(WebSocketTest, StopDoesNotWaitForClients) {
  serve_plain();
  PlainSocket socket(io_);
  run(handshake(socket, endpoint(), "/ws"));
  const TimePoint start = std::chrono::steady_clock::now();
  stop();
  EXPECT_LT(since(start), 500ms);
}

awaitable<std::string> echo_over_tls(TlsSocket& socket, tcp::endpoint server) {
  co_await beast::get_lowest_layer(socket).async_connect(server, asio::use_awaitable);
  co_await socket.next_layer().async_handshake(asio::ssl::stream_base::client, asio::use_awaitable);
  co_await socket.async_handshake("127.0.0.1", "/ws", asio::use_awaitable);
  co_return co_await exchange(socket, std::string(100'000, 'x'));
}

TEST_F(WebSocketTest, EchoesOverTls) {
  serve_tls();
  asio::ssl::context tls(asio::ssl::context::tls_client);
  tls.add_certificate_authority(asio::buffer(authority_.certificate_pem));
  tls.set_verify_mode(asio::ssl::verify_peer);
  TlsSocket socket(io_, tls);
  EXPECT_EQ(run(echo_over_tls(socket, endpoint())), std::string(100'000, 'x'));
  const TimePoint start = std::chrono::steady_clock::now();
  stop();
  EXPECT_LT(since(start), 500ms);
}

}  // namespace
}  // namespace trainyard::http
