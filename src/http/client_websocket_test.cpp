#include "http/client_websocket.h"

#include "http/test_fixture.h"

namespace trainyard::http {
namespace {

class ClientWebSocketTest : public HttpTest {};

awaitable<Result<std::string>> exchange(WebSocket& socket, std::string text, bool binary) {
  WebSocket::Message message{binary, std::move(text)};
  CO_TRY_OK(co_await socket.write(std::move(message)));
  CO_TRY(WebSocket::Message answer, co_await socket.read());
  if (answer.binary != binary) co_return Error(Code::kInternal, "of the other type");
  co_return std::move(answer.data);
}

awaitable<Result<std::unique_ptr<WebSocket>>> join(Client& client, std::string target) {
  ClientRequest request;
  request.target = std::move(target);
  request.upgrade = true;
  ask_for_websocket(request.headers, "");
  CO_TRY(auto answer, co_await client.open(std::move(request)));
  if (answer->status() != 101) co_return Error(Code::kBadRequest, "no WebSocket");
  co_return join_websocket(answer->take_tunnel());
}

TEST_F(ClientWebSocketTest, TalksToTheServersOwn) {
  serve_plain();
  Client client(io_.get_executor(), client_options());
  auto socket = run(join(client, "/ws"));
  ASSERT_TRUE(socket) << socket.error().message();
  EXPECT_EQ(*run(exchange(**socket, "hello", false)), "hello");
  const std::string large(2'000'000, '\x80');
  EXPECT_EQ(*run(exchange(**socket, large, true)), large);
  run((*socket)->close());
  EXPECT_TRUE(run((*socket)->read()).failed_with(Code::kCancelled));
}

TEST_F(ClientWebSocketTest, AnAnswerThatIsNoWebSocketIsNotTakenForOne) {
  serve_plain();
  Client client(io_.get_executor(), client_options());
  EXPECT_FALSE(run(join(client, "/hello")));
}

}  // namespace
}  // namespace trainyard::http
