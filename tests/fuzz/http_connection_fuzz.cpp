// A connection as the server sees it: any bytes, in pieces, through a real socket. Byte 1 is the
// size of a piece. Requests to /stream get chunks, those to /socket a WebSocket, all others an
// echo.
#include "fuzz.h"
#include "http/server.h"
#include "http/stream.h"

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/write.hpp>

namespace trainyard::fuzz {
namespace {

namespace asio = boost::asio;
using http::kAsTuple;
using http::tcp;

class EchoHandler final : public http::Handler {
 public:
  awaitable<void> handle(http::Request request, http::ResponseWriter& writer) override {
    Result<> done = Ok();
    if (request.path == "/stream") {
      done = co_await stream(writer, std::move(request.body));
    } else if (request.path == "/socket") {
      done = co_await talk(writer, request.query.get("protocol"));
    } else {
      http::Response response;
      response.headers.add("X-Target", request.target);
      response.body = std::move(request.body);
      done = co_await writer.send(std::move(response));
    }
    if (done || writer.answered()) co_return;
    http::Response refusal;
    refusal.status = 400;
    done = co_await writer.send(std::move(refusal));
  }

 private:
  static awaitable<Result<>> stream(http::ResponseWriter& writer, std::string body) {
    http::Headers headers;
    CO_TRY_OK(co_await writer.start(200, std::move(headers)));
    CO_TRY_OK(co_await writer.write(std::move(body)));
    co_return co_await writer.finish();
  }

  static awaitable<Result<>> talk(http::ResponseWriter& writer, std::string protocol) {
    CO_TRY(auto socket, co_await writer.upgrade(std::move(protocol)));
    for (;;) {
      CO_TRY(auto message, co_await socket->read());
      CO_TRY_OK(co_await socket->write(std::move(message)));
    }
  }
};

/// One server for all inputs: it must not matter to it what it has seen before.
struct World {
  World() {
    http::ServerOptions options;
    options.body_limit = 1 << 16;
    server = std::make_unique<http::Server>(io.get_executor(), clock, options, handler);
    require(server->listen().has_value(), "there is a port to listen at");
    server->start();
  }

  /// What the server answers until it closes.
  awaitable<void> exchange(std::string bytes, std::size_t piece, std::string& answer) {
    tcp::socket socket(io);
    const tcp::endpoint address(asio::ip::make_address("127.0.0.1"), server->port());
    const auto [refused] = co_await socket.async_connect(address, kAsTuple);
    require(!refused, "the server still listens", refused.message());
    // Closed by a reset, which leaves no port waiting behind.
    socket.set_option(asio::socket_base::linger(true, 0));
    http::ErrorCode failure;
    for (std::size_t sent = 0; sent < bytes.size() && !failure; sent += piece) {
      const auto next = asio::buffer(bytes.data() + sent, std::min(piece, bytes.size() - sent));
      std::tie(failure, std::ignore) = co_await asio::async_write(socket, next, kAsTuple);
    }
    socket.shutdown(tcp::socket::shutdown_send, failure);
    std::string buffer(4096, '\0');
    for (;;) {
      const auto [end, size] = co_await socket.async_read_some(asio::buffer(buffer), kAsTuple);
      answer.append(buffer, 0, size);
      if (end) co_return;
    }
  }

  asio::io_context io{1};
  SystemClock clock;
  EchoHandler handler;
  std::unique_ptr<http::Server> server;
};

}  // namespace

void run(std::string_view input) {
  static auto* const kWorld = new World;  // never destroyed: a server must be stopped first
  if (input.empty()) return;
  const std::size_t piece = 1 + static_cast<unsigned char>(input.front()) * 16UL;
  std::string answer;
  bool done = false;
  asio::co_spawn(kWorld->io, kWorld->exchange(std::string(input.substr(1)), piece, answer),
                 [&](const std::exception_ptr& failure) {
                   require(!failure, "nothing is thrown");
                   done = true;
                 });
  while (!done) kWorld->io.run_one();
  kWorld->io.poll();
  require(answer.empty() || answer.starts_with("HTTP/1.1 "), "an answer is HTTP", answer);
  // Answers hold what was sent, which may look like one.
  const bool looks_so = input.find("500") != std::string_view::npos;
  require(!answer.starts_with("HTTP/1.1 500 ") &&
              (looks_so || answer.find("HTTP/1.1 500 ") == std::string::npos),
          "no bytes are our fault", answer);
}

}  // namespace trainyard::fuzz
