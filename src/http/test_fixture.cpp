#include "http/test_fixture.h"

#include <boost/asio/co_spawn.hpp>

#include <stdexcept>

namespace trainyard::http {

using namespace std::chrono_literals;

awaitable<void> ScriptedHandler::handle(Request request, ResponseWriter& writer) {
  ++requests;
  last_peer = request.peer;
  last_certificate = request.certificate;
  Result<> result = Ok();
  const std::string path = request.path;
  if (path == "/count") {
    result = co_await count_slowly(writer);
  } else if (path == "/hang") {
    result = co_await hang(writer);
  } else if (path == "/flood") {
    result = co_await flood(writer);
  } else if (path == "/throw") {
    throw std::runtime_error("scripted");
  } else if (path == "/throw-in-stream") {
    result = co_await writer.start(200, Headers());
    throw std::runtime_error("scripted");
  } else if (path == "/silent") {
    co_return;
  } else if (path == "/large") {
    Response response;
    response.body.assign(5'000'000, 'x');
    result = co_await writer.send(std::move(response));
  } else if (path == "/nothing") {
    Response response;
    response.status = 204;
    result = co_await writer.send(std::move(response));
  } else if (path == "/ws") {
    result = co_await serve_websocket(request.query.get("protocol"), writer);
  } else {
    result = co_await echo(std::move(request), writer);
  }
  if (!result) write_error = result.error().message();
}

awaitable<Result<>> ScriptedHandler::echo(Request request, ResponseWriter& writer) {
  Response response;
  response.headers.add("Content-Type", "text/plain");
  response.headers.add("X-Token", std::string(request.headers.find("x-token").value_or("none")));
  response.headers.add("X-Evil", "a\r\nInjected: yes");
  response.body = request.method + " " + request.path + " " + request.body;
  co_return co_await writer.send(std::move(response));
}

awaitable<Result<>> ScriptedHandler::count_slowly(ResponseWriter& writer) {
  CO_TRY_OK(co_await writer.start(200, Headers{{"Content-Type", "text/plain"}}));
  for (const char* number : {"one\n", "two\n", "three\n"}) {
    CO_TRY_OK(co_await writer.write(number));
    co_await clock_.sleep_for(50ms);
  }
  co_return co_await writer.finish();
}

awaitable<Result<>> ScriptedHandler::hang(ResponseWriter& writer) {
  CO_TRY_OK(co_await writer.start(200, Headers()));
  CO_TRY_OK(co_await writer.write("hello\n"));
  struct Unwound {
    ScriptedHandler& handler;
    ~Unwound() {
      --handler.streams_open;
      ++handler.streams_cancelled;
    }
  };
  ++streams_open;
  const Unwound unwound{*this};
  co_await clock_.sleep_for(1h);
  co_return Ok();
}

awaitable<Result<>> ScriptedHandler::flood(ResponseWriter& writer) {
  CO_TRY_OK(co_await writer.start(200, Headers()));
  for (;;) CO_TRY_OK(co_await writer.write(std::string(100'000, 'x')));
}

awaitable<Result<>> ScriptedHandler::serve_websocket(std::string subprotocol,
                                                     ResponseWriter& writer) {
  CO_TRY(std::unique_ptr<WebSocket> socket, co_await writer.upgrade(std::move(subprotocol)));
  for (;;) {
    CO_TRY(WebSocket::Message message, co_await socket->read());
    if (message.data == "bye") break;
    CO_TRY_OK(co_await socket->write(std::move(message)));
  }
  co_await socket->close();
  co_return Ok();
}

HttpTest::HttpTest() = default;

HttpTest::~HttpTest() {
  if (server_) stop();
}

void HttpTest::run_until(const bool& done) {
  const auto limit = std::chrono::steady_clock::now() + 20s;
  while (!done) {
    if (std::chrono::steady_clock::now() > limit) throw std::runtime_error("the test hangs");
    io_.restart();
    io_.run_one_for(1s);
  }
}

void HttpTest::run(awaitable<void> task) {
  std::exception_ptr failure;
  bool done = false;
  boost::asio::co_spawn(io_, std::move(task), [&](std::exception_ptr thrown) {
    failure = std::move(thrown);
    done = true;
  });
  run_until(done);
  if (failure) std::rethrow_exception(failure);
}

void HttpTest::run_for(std::chrono::milliseconds span) {
  io_.restart();
  io_.run_for(span);
}

ServerOptions HttpTest::tls_options() {
  ServerOptions options;
  Result<TlsIdentity> authority = make_authority("test authority");
  EXPECT_TRUE(authority) << authority.error().message();
  authority_ = *authority;
  Result<TlsIdentity> identity = make_server_certificate(authority_, {"127.0.0.1", "localhost"});
  EXPECT_TRUE(identity) << identity.error().message();
  options.tls = *identity;
  return options;
}

void HttpTest::serve_tls() {
  serve(tls_options());
}

void HttpTest::serve_tls_for_certificates() {
  ServerOptions options = tls_options();
  options.client_ca_pem = authority_.certificate_pem;
  serve(std::move(options));
}

void HttpTest::serve_plain() {
  serve(ServerOptions());
}

void HttpTest::serve(ServerOptions options) {
  tls_ = options.tls.has_value();
  server_ = std::make_unique<Server>(io_.get_executor(), clock_, std::move(options), handler_);
  const Result<> listening = server_->listen();
  ASSERT_TRUE(listening) << listening.error().message();
  server_->start();
}

void HttpTest::stop() {
  run(server_->stop());
  server_.reset();
}

ClientOptions HttpTest::client_options(const std::string& host) const {
  ClientOptions options;
  options.url = (tls_ ? "https://" : "http://") + host + ":" + std::to_string(server_->port());
  options.ca_pem = authority_.certificate_pem;
  return options;
}

std::chrono::milliseconds since(TimePoint start) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() -
                                                               start);
}

ClientRequest get(std::string target, std::string method) {
  ClientRequest request;
  request.method = std::move(method);
  request.target = std::move(target);
  return request;
}

}  // namespace trainyard::http
