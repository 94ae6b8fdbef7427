#include "console/guarded_socket.h"

#include <boost/asio/experimental/awaitable_operators.hpp>

namespace trainyard::console {
namespace {

using namespace std::chrono_literals;
constexpr auto kFirstMessageWithin = 10s;
constexpr char kEndChannel = 3;  // of the subprotocols in which Kubernetes carries commands

awaitable<bool> read_secret(http::WebSocket& socket, LoginSessionPtr session) {
  const auto message = co_await socket.read();
  if (!message) co_return false;
  const auto said = parse_json(message->data);
  co_return said&& Sessions::has_secret(*session, string_at(*said, "secret"));
}

awaitable<bool> proves_itself(Clock& clock, http::WebSocket& socket, LoginSessionPtr session) {
  using namespace boost::asio::experimental::awaitable_operators;
  const auto first =
      co_await (read_secret(socket, std::move(session)) || clock.sleep_for(kFirstMessageWithin));
  co_return first.index() == 0 && std::get<0>(first);
}

Error only_sockets() {
  return {Code::kBadRequest, "this path speaks WebSocket only"};
}

}  // namespace

awaitable<std::unique_ptr<http::WebSocket>> open_guarded(Clock& clock, http::ResponseWriter& writer,
                                                         std::string subprotocol,
                                                         LoginSessionPtr session) {
  auto socket = co_await writer.upgrade(std::move(subprotocol));
  if (!socket) co_return nullptr;
  const bool proven = co_await proves_itself(clock, **socket, std::move(session));
  if (proven) co_return *std::move(socket);
  const Json refusal{{"id", 0},
                     {"error", {{"code", 401}, {"message", "this tab is not logged in"}}}};
  http::WebSocket::Message message;
  message.data = to_text(refusal);
  [[maybe_unused]] const auto told = co_await (*socket)->write(std::move(message));
  co_await (*socket)->close();
  co_return nullptr;
}

awaitable<Result<>> OpenedWriter::send(http::Response response) {
  const std::unique_ptr<http::WebSocket> socket = std::move(socket_);
  if (socket == nullptr) co_return only_sockets();
  http::WebSocket::Message message;
  message.binary = true;
  message.data = kEndChannel + response.body;
  CO_TRY_OK(co_await socket->write(std::move(message)));
  co_await socket->close();
  co_return Ok();
}

awaitable<Result<>> OpenedWriter::start(int /*status*/, http::Headers /*headers*/) {
  co_return only_sockets();
}

awaitable<Result<>> OpenedWriter::write(std::string /*chunk*/) {
  co_return only_sockets();
}

awaitable<Result<>> OpenedWriter::finish() {
  co_return only_sockets();
}

awaitable<Result<std::unique_ptr<http::WebSocket>>> OpenedWriter::upgrade(std::string subprotocol) {
  // A browser hangs up on a subprotocol that it did not ask for first.
  if (socket_ == nullptr || subprotocol != subprotocol_) co_return only_sockets();
  co_return std::move(socket_);
}

}  // namespace trainyard::console
