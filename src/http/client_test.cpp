#include "http/client.h"

#include "http/stream.h"
#include "http/test_fixture.h"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>

namespace trainyard::http {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

class ClientTest : public HttpTest {};

TEST_F(ClientTest, GoesBackAndForthOverTlsOnOneConnection) {
  serve_tls();
  Client client(io_.get_executor(), client_options());
  std::string peer;
  for (int i = 0; i < 5; ++i) {
    ClientRequest request;
    request.method = "POST";
    request.target = "/a%20b?x=1";
    request.headers.add("X-Token", "secret");
    request.body = std::to_string(i);
    const Result<Response> response = run(client.request(std::move(request)));
    ASSERT_TRUE(response) << response.error().message();
    EXPECT_EQ(response->status, 200);
    EXPECT_EQ(response->body, "POST /a b " + std::to_string(i));
    EXPECT_EQ(response->headers.find("x-token"), "secret");
    if (i > 0) EXPECT_EQ(handler_.last_peer, peer) << "a new connection";
    peer = handler_.last_peer;
  }
}

TEST_F(ClientTest, ChecksTheHostNameToo) {
  serve_tls();
  Client client(io_.get_executor(), client_options("localhost"));
  const Result<Response> response = run(client.request(get("/x")));
  ASSERT_TRUE(response) << response.error().message();
  EXPECT_EQ(response->body, "GET /x ");
}

TEST_F(ClientTest, CarriesLargeBodiesBothWays) {
  serve_tls();
  Client client(io_.get_executor(), client_options());
  ClientRequest request;
  request.method = "PUT";
  request.target = "/x";
  request.body.assign(3'000'000, 'y');
  const Result<Response> echoed = run(client.request(request));
  ASSERT_TRUE(echoed) << echoed.error().message();
  EXPECT_EQ(echoed->body, "PUT /x " + request.body);
  const Result<Response> large = run(client.request(get("/large")));
  ASSERT_TRUE(large);
  EXPECT_EQ(large->body.size(), 5'000'000U);
}

TEST_F(ClientTest, ReadsTheRefusalOfALargeBody) {
  serve_tls();
  Client client(io_.get_executor(), client_options());
  ClientRequest request;
  request.method = "PUT";
  request.target = "/x";
  request.body.assign(30'000'000, 'y');
  const Result<Response> response = run(client.request(std::move(request)));
  ASSERT_TRUE(response) << response.error().message();
  EXPECT_EQ(response->status, 413);
}

TEST_F(ClientTest, HeadHasNoBodyAndKeepsTheConnection) {
  serve_plain();
  Client client(io_.get_executor(), client_options());
  const Result<Response> head = run(client.request(get("/x", "HEAD")));
  ASSERT_TRUE(head) << head.error().message();
  EXPECT_EQ(head->body, "");
  const Result<Response> after = run(client.request(get("/y")));
  ASSERT_TRUE(after);
  EXPECT_EQ(after->body, "GET /y ");
}

TEST_F(ClientTest, DeliversChunksAsTheyCome) {
  serve_tls();
  Client client(io_.get_executor(), client_options());
  const TimePoint start = std::chrono::steady_clock::now();
  Result<std::unique_ptr<ResponseStream>> stream = run(client.open(get("/count")));
  ASSERT_TRUE(stream) << stream.error().message();
  EXPECT_EQ((*stream)->status(), 200);
  EXPECT_EQ((*stream)->headers().find("Content-Type"), "text/plain");
  for (const char* expected : {"one\n", "two\n", "three\n", ""}) {
    const Result<std::string> part = run((*stream)->read());
    ASSERT_TRUE(part) << part.error().message();
    EXPECT_EQ(*part, expected);  // and not several at once, as if they had been held back
  }
  EXPECT_GE(since(start), 150ms);
  const Result<Response> whole = run(client.request(get("/count")));
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->body, "one\ntwo\nthree\n");
}

TEST_F(ClientTest, ReportsAStreamThatBreaksOff) {
  serve_plain();
  Client client(io_.get_executor(), client_options());
  Result<std::unique_ptr<ResponseStream>> stream = run(client.open(get("/throw-in-stream")));
  ASSERT_TRUE(stream);
  const Result<std::string> part = run((*stream)->read());
  ASSERT_TRUE(part.failed_with(Code::kUnavailable));
}

TEST_F(ClientTest, RefusesACertificateOfAnotherAuthority) {
  serve_tls();
  const Result<TlsIdentity> other = make_authority("other");
  ASSERT_TRUE(other);
  ClientOptions options = client_options();
  options.ca_pem = other->certificate_pem;
  Client client(io_.get_executor(), options);
  const Result<Response> response = run(client.request(get("/x")));
  ASSERT_TRUE(response.failed_with(Code::kUnavailable));
  EXPECT_NE(response.error().message().find("certificate is not trusted"), std::string::npos)
      << response.error().message();
  options.insecure_skip_verify = true;
  Client trusting(io_.get_executor(), options);
  EXPECT_TRUE(run(trusting.request(get("/x"))));
}

TEST_F(ClientTest, RefusesACertificateForAnotherHost) {
  serve_tls();
  const Result<TlsIdentity> identity = make_server_certificate(authority_, {"elsewhere"});
  stop();
  ServerOptions server;
  server.tls = *identity;
  serve(server);
  for (const char* host : {"127.0.0.1", "localhost"}) {
    Client client(io_.get_executor(), client_options(host));
    const Result<Response> response = run(client.request(get("/x")));
    ASSERT_TRUE(response.failed_with(Code::kUnavailable));
    EXPECT_NE(response.error().message().find("mismatch"), std::string::npos)
        << response.error().message();
  }
}

TEST_F(ClientTest, NamesTheAddressThatRefuses) {
  serve_plain();
  ClientOptions options = client_options();
  stop();
  Client client(io_.get_executor(), options);
  const Result<Response> response = run(client.request(get("/x")));
  ASSERT_TRUE(response.failed_with(Code::kUnavailable));
  EXPECT_NE(response.error().message().find(options.url.substr(7)), std::string::npos);
  EXPECT_NE(response.error().message().find("refused"), std::string::npos);
}

TEST_F(ClientTest, GivesUpOnAServerThatNeverFinishesItsHandshake) {
  tcp::acceptor mute(io_, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
  ClientOptions options;
  options.url = "https://127.0.0.1:" + std::to_string(mute.local_endpoint().port());
  options.connect_timeout_seconds = 1;
  Client client(io_.get_executor(), options);
  const Result<Response> response = run(client.request(get("/x")));
  ASSERT_TRUE(response.failed_with(Code::kUnavailable));
  EXPECT_NE(response.error().message().find("no answer within 1 s"), std::string::npos);
}

TEST_F(ClientTest, GivesUpOnAnAnswerThatNeverEnds) {
  serve_tls();
  ClientOptions options = client_options();
  options.request_timeout_seconds = 1;
  Client client(io_.get_executor(), options);
  ASSERT_TRUE(run(client.request(get("/x"))));
  const TimePoint start = std::chrono::steady_clock::now();
  const Result<Response> response = run(client.request(get("/hang")));
  ASSERT_TRUE(response.failed_with(Code::kTimeout)) << response.error().message();
  EXPECT_NE(response.error().message().find("within 1 s"), std::string::npos);
  EXPECT_GE(since(start), 900ms);
  EXPECT_TRUE(run_until_true([&] { return handler_.streams_open == 0; }));
  EXPECT_TRUE(run(client.request(get("/x")))) << "the next request has its own time";
}

TEST_F(ClientTest, TheTimeOfARequestIncludesTheHandshake) {
  tcp::acceptor mute(io_, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
  ClientOptions options;
  options.url = "https://127.0.0.1:" + std::to_string(mute.local_endpoint().port());
  options.request_timeout_seconds = 1;
  Client client(io_.get_executor(), options);
  EXPECT_TRUE(run(client.request(get("/x"))).failed_with(Code::kTimeout));
}

TEST_F(ClientTest, AStreamMayTakeLongerThanARequest) {
  serve_tls();
  ClientOptions options = client_options();
  options.request_timeout_seconds = 1;
  Client client(io_.get_executor(), options);
  Result<std::unique_ptr<ResponseStream>> stream = run(client.open(get("/hang")));
  ASSERT_TRUE(stream);
  ASSERT_TRUE(run((*stream)->read()));
  run_for(1200ms);
  EXPECT_EQ(handler_.streams_open, 1);
}

TEST_F(ClientTest, BadAddressIsEveryRequestsError) {
  ClientOptions options;
  options.url = "nonsense";
  Client client(io_.get_executor(), options);
  EXPECT_TRUE(run(client.request(get("/x"))).failed_with(Code::kInvalid));
}

TEST_F(ClientTest, ReconnectsAfterTheServerWasRestarted) {
  serve_tls();
  ServerOptions options;
  options.port = server_->port();
  options.tls = *make_server_certificate(authority_, {"127.0.0.1"});
  Client client(io_.get_executor(), client_options());
  ASSERT_TRUE(run(client.request(get("/x"))));
  stop();
  serve(options);
  const Result<Response> again = run(client.request(get("/x")));
  ASSERT_TRUE(again) << again.error().message();
}

/// Answers the first request of the first connection, reads a second one and closes without a
/// word: what a client meets when the server closes just as it writes. Later connections answer.
awaitable<void> serve_and_forget(tcp::acceptor& acceptor, int& connections) {
  static constexpr std::string_view kAnswer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
  for (connections = 1; connections <= 2; ++connections) {
    tcp::socket socket = co_await acceptor.async_accept(asio::use_awaitable);
    std::string bytes;
    co_await asio::async_read_until(socket, asio::dynamic_buffer(bytes), "\r\n\r\n", kAsTuple);
    co_await asio::async_write(socket, asio::buffer(kAnswer), kAsTuple);
    bytes.clear();
    co_await asio::async_read_until(socket, asio::dynamic_buffer(bytes), "\r\n\r\n", kAsTuple);
  }
}

TEST_F(ClientTest, RetriesOnceWhenAKeptConnectionDies) {
  tcp::acceptor acceptor(io_, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
  int connections = 0;
  asio::co_spawn(io_, serve_and_forget(acceptor, connections), asio::detached);
  ClientOptions options;
  options.url = "http://127.0.0.1:" + std::to_string(acceptor.local_endpoint().port());
  Client client(io_.get_executor(), options);
  ASSERT_TRUE(run(client.request(get("/x"))));
  const Result<Response> second = run(client.request(get("/x")));
  ASSERT_TRUE(second) << second.error().message();
  EXPECT_EQ(second->body, "ok");
  EXPECT_EQ(connections, 2);
}

TEST_F(ClientTest, CancellingARequestUnwindsIt) {
  serve_tls();
  Client client(io_.get_executor(), client_options());
  asio::cancellation_signal cancel;
  bool ended = false;
  asio::co_spawn(io_, client.request(get("/hang")),
                 asio::bind_cancellation_slot(
                     cancel.slot(), [&](const std::exception_ptr& thrown, Result<Response> answer) {
                       ended = thrown || answer.failed_with(Code::kCancelled);
                     }));
  ASSERT_TRUE(run_until_true([&] { return handler_.streams_open == 1; }));
  cancel.emit(asio::cancellation_type::terminal);
  EXPECT_TRUE(run_until_true([&] { return ended && handler_.streams_open == 0; }));
}

}  // namespace
}  // namespace trainyard::http
