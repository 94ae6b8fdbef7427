// What a proxy needs: bodies that pass in parts, both ways, and connections that leave HTTP.
#include "http/tunnel.h"

#include "http/test_fixture.h"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/websocket.hpp>

namespace trainyard::http {
namespace {

namespace asio = boost::asio;
namespace websocket = boost::beast::websocket;
using asio::ip::tcp;
using Socket = websocket::stream<tcp::socket>;

/// Passes everything on to another server.
class Proxy final : public Handler {
 public:
  Proxy(Executor loop, ClientOptions behind) : client_(std::move(loop), std::move(behind)) {}

  awaitable<void> handle(Request request, ResponseWriter& writer) override {
    ClientRequest passed;
    passed.method = request.method;
    passed.target = request.target;
    passed.headers = request.headers;
    passed.upgrade = request.headers.find("Upgrade").has_value();
    if (!passed.upgrade) {
      passed.next_part = [&writer, this] { return count(writer); };
      if (keep_length)
        passed.length = std::stoull(std::string(*request.headers.find("Content-Length")));
    }
    auto answer = co_await client_.open(std::move(passed));
    if (!answer) {
      failure = answer.error();
      co_return;
    }
    if ((*answer)->status() == 101) {
      auto tunnel = co_await writer.switch_protocols((*answer)->headers());
      if (!tunnel) co_return;
      const std::unique_ptr<Tunnel> behind = (*answer)->take_tunnel();
      co_await relay(**tunnel, *behind);
      ++tunnels_ended;
      co_return;
    }
    auto sent = co_await writer.start((*answer)->status(), (*answer)->headers());
    while (sent) {
      auto part = co_await (*answer)->read();
      if (!part || part->empty()) break;
      sent = co_await writer.write(*std::move(part));
    }
    sent = co_await writer.finish();
  }

  std::size_t parts = 0;
  std::size_t largest_part = 0;
  bool keep_length = false;
  int tunnels_ended = 0;
  std::optional<Error> failure;

 private:
  awaitable<Result<std::string>> count(ResponseWriter& writer) {
    auto part = co_await writer.read_body();
    ++parts;
    if (part) largest_part = std::max(largest_part, part->size());
    co_return part;
  }
  Client client_;
};

class ProxyTest : public HttpTest {
 protected:
  void SetUp() override {
    ServerOptions behind;
    behind.body_limit = 64 << 20;
    serve(behind);
    proxy_ = std::make_unique<Proxy>(io_.get_executor(), client_options());
    ServerOptions options;
    options.stream_bodies = true;
    front_ = std::make_unique<Server>(io_.get_executor(), clock_, options, *proxy_);
    ASSERT_TRUE(front_->listen());
    front_->start();
  }
  void TearDown() override {
    run(front_->stop());
    if (server_) stop();
  }
  ClientOptions front() const {
    ClientOptions options;
    options.url = "http://127.0.0.1:" + std::to_string(front_->port());
    return options;
  }

  std::unique_ptr<Proxy> proxy_;
  std::unique_ptr<Server> front_;
};

ClientRequest post(std::string body) {
  ClientRequest request;
  request.method = "POST";
  request.target = "/echo";
  request.body = std::move(body);
  return request;
}

TEST_F(ProxyTest, BodiesPassInPartsBothWays) {
  const std::string body(20 << 20, 'x');
  Client client(io_.get_executor(), front());
  for (const bool keep_length : {false, true}) {
    proxy_->keep_length = keep_length;
    const auto answer = run(client.request(post(body)));
    ASSERT_TRUE(answer) << answer.error().message();
    EXPECT_NE(answer->body.find(body), std::string::npos);
  }
  EXPECT_GT(proxy_->parts, 100U);
  EXPECT_LE(proxy_->largest_part, std::size_t{256} << 10) << "little is kept of a body";
}

/// Counts what it is sent; only what is put streams.
class Counter final : public Handler {
 public:
  awaitable<void> handle(Request request, ResponseWriter& writer) override {
    std::size_t bytes = request.body.size();
    for (;;) {
      auto part = co_await writer.read_body();
      if (!part || part->empty()) break;
      bytes += part->size();
    }
    Response response;
    response.body = std::to_string(bytes);
    [[maybe_unused]] const auto sent = co_await writer.send(std::move(response));
  }
};

TEST_F(HttpTest, OnlyTheBodiesThatAreSaidToStreamMayBeOfAnySize) {
  ServerOptions options;
  options.body_limit = 1000;
  options.streams_body = [](const Request& head) {
    return head.method == "PUT" && head.path == "/file" && head.query.get("x") == "1";
  };
  Counter counter;
  Server server(io_.get_executor(), clock_, options, counter);
  ASSERT_TRUE(server.listen());
  server.start();
  ClientOptions there;
  there.url = "http://127.0.0.1:" + std::to_string(server.port());
  Client client(io_.get_executor(), there);
  const auto sent = [&](const char* method, const char* target, std::size_t bytes) {
    ClientRequest request = post(std::string(bytes, 'x'));
    request.method = method;
    request.target = target;
    return run(client.request(std::move(request)));
  };
  EXPECT_EQ(sent("PUT", "/file?x=1", 5'000'000)->body, "5000000");
  EXPECT_EQ(sent("PUT", "/file?x=1", 0)->body, "0");
  EXPECT_EQ(sent("POST", "/file?x=1", 900)->body, "900");
  EXPECT_EQ(sent("POST", "/file?x=1", 2000)->status, 413);
  EXPECT_EQ(sent("PUT", "/file", 2000)->status, 413);
  run(server.stop());
}

TEST_F(ProxyTest, AnAnswersLengthIsKept) {
  Client client(io_.get_executor(), front());
  const auto answer = run(client.request(post("hello")));
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->headers.find("Content-Length"));
  EXPECT_FALSE(answer->headers.find("Transfer-Encoding"));
}

TEST_F(ProxyTest, OneConnectionCarriesManyRequests) {
  Client client(io_.get_executor(), front());
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(run(client.request(post(std::string(70'000, 'y')))));
  EXPECT_EQ(handler_.requests, 20);
}

awaitable<void> shake_hands(Socket& socket, tcp::endpoint server) {
  co_await socket.next_layer().async_connect(server, asio::use_awaitable);
  co_await socket.async_handshake("127.0.0.1", "/ws", asio::use_awaitable);
}

awaitable<std::string> exchange(Socket& socket, std::string text) {
  co_await socket.async_write(asio::buffer(text), asio::use_awaitable);
  std::string answer;
  auto buffer = asio::dynamic_buffer(answer);
  co_await socket.async_read(buffer, asio::use_awaitable);
  co_return answer;
}

awaitable<void> say_goodbye(Socket& socket) {
  co_await socket.async_close(websocket::close_code::going_away, asio::use_awaitable);
}

TEST_F(ProxyTest, WebSocketsPass) {
  Socket socket(io_);
  run(shake_hands(socket, {asio::ip::address_v4::loopback(), front_->port()}));
  EXPECT_EQ(run(exchange(socket, "hello")), "hello");
  const std::string large(3'000'000, '\x80');
  socket.binary(true);
  EXPECT_EQ(run(exchange(socket, large)), large);
  EXPECT_TRUE(socket.got_binary());
  run(say_goodbye(socket));  // throws unless the other end says goodbye as well
  EXPECT_TRUE(run_until_true([&] { return proxy_->tunnels_ended == 1; }));
}

TEST_F(ProxyTest, AWebSocketEndsWithItsClient) {
  {
    Socket socket(io_);
    run(shake_hands(socket, {asio::ip::address_v4::loopback(), front_->port()}));
  }
  EXPECT_TRUE(run_until_true([&] { return proxy_->tunnels_ended == 1; }));
}

TEST_F(ProxyTest, ABodyThatIsNotReadEndsTheConnection) {
  stop();  // nobody is behind the proxy any more
  tcp::socket socket(io_);
  socket.connect({asio::ip::address_v4::loopback(), front_->port()});
  const std::string head = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf";
  asio::write(socket, asio::buffer(head));
  EXPECT_TRUE(run_until_true([&] { return proxy_->failure.has_value(); }));
  run_for(std::chrono::milliseconds(50));
  std::string answer(4096, '\0');
  boost::system::error_code failed;
  answer.resize(socket.read_some(asio::buffer(answer), failed));
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 500")) << answer;
  EXPECT_NE(answer.find("Connection: close"), std::string::npos) << answer;
}

}  // namespace
}  // namespace trainyard::http
