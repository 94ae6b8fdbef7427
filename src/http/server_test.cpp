#include "http/server.h"

#include "base/fake_clock.h"
#include "http/stream.h"
#include "http/test_fixture.h"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

namespace trainyard::http {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

/// Sends bytes as they are over plain TCP and reads to the end of the connection, or until the
/// answer ends with `until`.
awaitable<std::string> talk(std::uint16_t port, std::string bytes, std::string until) {
  tcp::socket socket(co_await asio::this_coro::executor);
  const tcp::endpoint server(asio::ip::address_v4::loopback(), port);
  co_await socket.async_connect(server, asio::use_awaitable);
  co_await asio::async_write(socket, asio::buffer(bytes), kAsTuple);
  std::string answer;
  ErrorCode failure;
  while (!failure && (until.empty() || !answer.ends_with(until))) {
    char part[4096];
    std::size_t size = 0;
    std::tie(failure, size) = co_await socket.async_read_some(asio::buffer(part), kAsTuple);
    answer.append(part, size);
  }
  co_return answer;
}

int occurrences(const std::string& text, const std::string& what) {
  int count = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; ++at) ++count;
  return count;
}

class ServerTest : public HttpTest {
 protected:
  std::string answer_to(const std::string& bytes, const std::string& until = "") {
    return run(talk(server_->port(), bytes, until));
  }
};

TEST_F(ServerTest, SaysWhichPortIsTaken) {
  serve_plain();
  ServerOptions options;
  options.port = server_->port();
  Server second(io_.get_executor(), clock_, options, handler_);
  const Result<> listening = second.listen();
  ASSERT_TRUE(listening.failed_with(Code::kUnavailable));
  const std::string name = "127.0.0.1:" + std::to_string(options.port);
  EXPECT_NE(listening.error().message().find(name), std::string::npos);
}

TEST_F(ServerTest, AnswersPipelinedRequestsInOrder) {
  serve_plain();
  const std::string answer = answer_to(
      "POST /a HTTP/1.1\r\nContent-Length: 2\r\n\r\nhi"
      "GET /b HTTP/1.1\r\n\r\n"
      "GET /c HTTP/1.1\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(occurrences(answer, "HTTP/1.1 200 OK\r\n"), 3);
  EXPECT_LT(answer.find("POST /a hi"), answer.find("GET /b "));
  EXPECT_LT(answer.find("GET /b "), answer.find("GET /c "));
  EXPECT_EQ(occurrences(answer, "\r\nInjected"), 0);
  EXPECT_EQ(occurrences(answer, "\r\nDate: "), 3);
}

TEST_F(ServerTest, KeepsARequestThatComesDuringAStream) {
  serve_plain();
  const std::string answer = answer_to(
      "GET /count HTTP/1.1\r\n\r\n"
      "GET /count HTTP/1.1\r\n\r\n"
      "GET /after HTTP/1.1\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(occurrences(answer, "6\r\nthree\n\r\n0\r\n\r\n"), 2);
  EXPECT_NE(answer.find("GET /after "), std::string::npos);
}

TEST_F(ServerTest, SendsNoBodyForHead) {
  serve_plain();
  const std::string answer =
      answer_to("HEAD /x HTTP/1.1\r\n\r\nHEAD /count HTTP/1.1\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(occurrences(answer, "Content-Length: 8\r\n"), 1);
  EXPECT_EQ(occurrences(answer, "HEAD /x"), 0);
  EXPECT_EQ(occurrences(answer, "one\n"), 0);
  EXPECT_TRUE(answer.ends_with("\r\n\r\n"));
}

TEST_F(ServerTest, SendsNoLengthWithStatus204) {
  serve_plain();
  const std::string answer = answer_to("GET /nothing HTTP/1.1\r\nConnection: close\r\n\r\n");
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 204 No Content\r\n"));
  EXPECT_EQ(occurrences(answer, "Content-Length"), 0);
}

TEST_F(ServerTest, ClosesAfterTheAnswerToHttp10) {
  serve_plain();
  EXPECT_TRUE(answer_to("GET /x HTTP/1.0\r\n\r\n").ends_with("GET /x "));
  const std::string streamed = answer_to("GET /count HTTP/1.0\r\n\r\n");
  EXPECT_TRUE(streamed.ends_with("\r\n\r\none\ntwo\nthree\n")) << streamed;
}

TEST_F(ServerTest, AnswersMalformedRequestsWith400) {
  serve_plain();
  for (const char* bytes :
       {"nonsense\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "\x16\x03\x01\x02\r\n\r\n",
        "GET / HTTP/1.1\r\nno colon\r\n\r\n", "POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n"}) {
    const std::string answer = answer_to(bytes);
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 400 Bad Request\r\n")) << bytes << answer;
    EXPECT_NE(answer.find(R"("kind":"Status")"), std::string::npos);
  }
  EXPECT_EQ(handler_.requests, 0);
}

TEST_F(ServerTest, RefusesARequestThatNamesTwoHosts) {
  serve_plain();
  const std::string answer =
      answer_to("GET /a HTTP/1.1\r\nHost: one\r\nhost: other\r\n\r\nGET /b HTTP/1.1\r\n\r\n");
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 400 Bad Request\r\n")) << answer;
  EXPECT_NE(answer.find("two Host headers"), std::string::npos) << answer;
  EXPECT_EQ(occurrences(answer, "GET /"), 0) << "no handler has seen it, nor what came behind it";
  EXPECT_TRUE(
      answer_to("GET /a HTTP/1.1\r\nHost: one\r\nConnection: close\r\n\r\n").ends_with("GET /a "));
}

TEST_F(ServerTest, AnswersHugeHeadersWith431) {
  serve_plain();
  const std::string answer =
      answer_to("GET / HTTP/1.1\r\nX: " + std::string(100'000, 'x') + "\r\n\r\n");
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 431 ")) << answer;
}

TEST_F(ServerTest, AnswersLargeBodiesWith413) {
  ServerOptions options;
  options.body_limit = 1000;
  serve(options);
  const std::string body(2'000'000, 'x');
  const std::string with_length =
      answer_to("POST / HTTP/1.1\r\nContent-Length: 2000000\r\n\r\n" + body);
  EXPECT_TRUE(with_length.starts_with("HTTP/1.1 413 ")) << with_length;
  EXPECT_TRUE(with_length.find("Connection: close") != std::string::npos);
  const std::string chunked =
      answer_to("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1e8480\r\n" + body);
  EXPECT_TRUE(chunked.starts_with("HTTP/1.1 413 ")) << chunked;
  EXPECT_EQ(handler_.requests, 0);
  const std::string fits =
      answer_to("POST / HTTP/1.1\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc");
  EXPECT_TRUE(fits.ends_with("POST / abc"));
}

TEST_F(ServerTest, InvitesABodyThatIsHeldBack) {
  serve_plain();
  const std::string answer =
      answer_to("POST / HTTP/1.1\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n", "\r\n\r\n");
  EXPECT_EQ(answer, "HTTP/1.1 100 Continue\r\n\r\n");
}

TEST_F(ServerTest, FailingHandlersBecome500AndTheConnectionGoesOn) {
  serve_plain();
  const std::string answer = answer_to(
      "GET /throw HTTP/1.1\r\n\r\nGET /silent HTTP/1.1\r\n\r\n"
      "GET /x HTTP/1.1\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(occurrences(answer, "HTTP/1.1 500 Internal Server Error\r\n"), 2);
  EXPECT_TRUE(answer.ends_with("GET /x "));
  EXPECT_EQ(answer.find("scripted"), std::string::npos)
      << "what failed is not the client's business";
}

TEST_F(ServerTest, AStreamThatFailsEndsWithoutItsLastChunk) {
  serve_plain();
  const std::string answer = answer_to("GET /throw-in-stream HTTP/1.1\r\n\r\n");
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 OK\r\n"));
  EXPECT_EQ(occurrences(answer, "0\r\n\r\n"), 0);
}

TEST_F(ServerTest, ClientThatClosesCancelsItsHandler) {
  for (const bool tls : {false, true}) {
    handler_ = ScriptedHandler();
    if (tls) {
      serve_tls();
    } else {
      serve_plain();
    }
    Client client(io_.get_executor(), client_options());
    Result<std::unique_ptr<ResponseStream>> stream = run(client.open(get("/hang")));
    ASSERT_TRUE(stream) << stream.error().message();
    const Result<std::string> first = run((*stream)->read());
    ASSERT_TRUE(first);
    EXPECT_EQ(*first, "hello\n");
    EXPECT_EQ(handler_.streams_open, 1);
    stream->reset();
    EXPECT_TRUE(run_until_true([&] { return handler_.streams_cancelled == 1; }));
    EXPECT_EQ(handler_.streams_open, 0);
    stop();
  }
}

TEST_F(ServerTest, ClientThatDoesNotReadHoldsBackOnlyItsHandler) {
  serve_tls();
  Client client(io_.get_executor(), client_options());
  Result<std::unique_ptr<ResponseStream>> stream = run(client.open(get("/flood")));
  ASSERT_TRUE(stream);
  run_for(100ms);
  const Result<Response> other = run(client.request(get("/x")));
  ASSERT_TRUE(other);
  EXPECT_EQ(other->body, "GET /x ");
  EXPECT_EQ(handler_.requests, 2);
}

TEST_F(ServerTest, StopsAtOnceWithOpenStreamsAndIdleConnections) {
  serve_tls();
  Client client(io_.get_executor(), client_options());
  ASSERT_TRUE(run(client.request(get("/x"))));  // leaves an idle connection
  Result<std::unique_ptr<ResponseStream>> hanging = run(client.open(get("/hang")));
  Result<std::unique_ptr<ResponseStream>> flooding = run(client.open(get("/flood")));
  ASSERT_TRUE(hanging && flooding);
  tcp::socket mute(io_);
  mute.connect(tcp::endpoint(asio::ip::address_v4::loopback(), server_->port()));
  run_for(50ms);  // in the middle of its TLS handshake
  ASSERT_EQ(handler_.streams_open, 1);
  const TimePoint start = std::chrono::steady_clock::now();
  stop();
  EXPECT_LT(since(start), 500ms);
  EXPECT_EQ(handler_.streams_cancelled, 1);
  Result<std::string> rest = run((*hanging)->read());
  while (rest && !rest->empty()) rest = run((*hanging)->read());
  EXPECT_TRUE(rest.failed_with(Code::kUnavailable));
}

TEST_F(ServerTest, ItsTimeIsTheClocks) {
  FakeClock clock(io_.get_executor());
  Server server(io_.get_executor(), clock, ServerOptions(), handler_);
  ASSERT_TRUE(server.listen());
  server.start();
  const std::string answer =
      run(talk(server.port(), "GET /x HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n", ""));
  EXPECT_NE(answer.find("\r\nDate: Sun, 01 Mar 2026 10:00:00 GMT\r\n"), std::string::npos)
      << answer;
  run(server.stop());
}

TEST_F(ServerTest, DropsClientsThatNeverCompleteTheirRequest) {
  ServerOptions options;
  options.header_timeout_seconds = 1;
  serve(options);
  const TimePoint start = std::chrono::steady_clock::now();
  EXPECT_EQ(answer_to("GET /slow HTTP/1.1\r\nX: "), "");
  EXPECT_EQ(answer_to(""), "");
  EXPECT_GE(since(start), 2s);
  EXPECT_LT(since(start), 8s);
}

TEST_F(ServerTest, TellsPlainHttpClientsThatThisIsHttps) {
  serve_tls();
  EXPECT_TRUE(answer_to("GET / HTTP/1.1\r\n\r\n").starts_with("HTTP/1.0 400 Bad Request\r\n"));
}

}  // namespace
}  // namespace trainyard::http
