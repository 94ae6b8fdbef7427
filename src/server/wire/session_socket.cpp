#include "server/wire/session_socket.h"

#include "server/wire/pod_channels.h"

#include <boost/asio/experimental/awaitable_operators.hpp>

#include <algorithm>

namespace trainyard::server {
namespace {

/// So many bytes may be on their way to a client that counts.
constexpr std::size_t kWindow = 512UL * 1024;

}  // namespace

awaitable<void> SessionSocket::run() {
  using namespace boost::asio::experimental::awaitable_operators;
  // Each makes the other end: a client that has gone hangs up, an ended command closes the socket.
  co_await (receive() && deliver());
}

awaitable<void> SessionSocket::receive() {
  while (true) {
    auto message = co_await socket_->read();
    if (!message) break;
    co_await take(std::move(message->data));
  }
  session_->hang_up();
  gone_ = true;
  room_.notify_all();
}

awaitable<void> SessionSocket::take(std::string message) {
  if (message.empty()) co_return;
  const auto channel = static_cast<Channel>(message.front());
  message.erase(0, 1);
  if (channel == Channel::kStdin && options_.input) {
    // Not read further meanwhile: a program that is slow to read slows its client.
    [[maybe_unused]] const auto written = co_await session_->write(std::move(message));
  } else if (channel == Channel::kResize) {
    if (const auto size = parse_size(message)) session_->resize(size->width, size->height);
  } else if (channel == Channel::kTaken && counted_) {
    unshown_ -= std::min(unshown_, parse_taken(message));
    room_.notify_all();
  } else if (channel == Channel::kClose && !message.empty() &&
             static_cast<Channel>(message.front()) == Channel::kStdin) {
    session_->close_input();
  }
}

awaitable<void> SessionSocket::deliver() {
  const auto delivered = co_await deliver_output();
  if (!delivered) session_->hang_up();
  co_await socket_->close();
}

awaitable<Result<>> SessionSocket::deliver_output() {
  // Tells the client that the session is there, before there is any output.
  if (options_.output) CO_TRY_OK(co_await send(channel_message(Channel::kStdout, "")));
  while (true) {
    co_await wait_for_room();
    CO_TRY(const std::optional<client::OutputPiece> piece, co_await session_->read());
    if (!piece) break;
    const bool is_error = piece->stream == client::OutputStream::kErr;
    if (!(is_error ? options_.errors : options_.output)) continue;
    unshown_ += piece->bytes.size();
    CO_TRY_OK(co_await send(
        channel_message(is_error ? Channel::kStderr : Channel::kStdout, piece->bytes)));
  }
  const client::SessionEnd& end = session_->end();
  if (!end.message.empty() && (options_.errors || options_.output)) {
    const Channel channel = options_.errors ? Channel::kStderr : Channel::kStdout;
    CO_TRY_OK(
        co_await send(channel_message(channel, end.message + (options_.tty ? "\r\n" : "\n"))));
  }
  co_return co_await send(channel_message(Channel::kError, end_status(end)));
}

awaitable<void> SessionSocket::wait_for_room() {
  while (counted_ && unshown_ > kWindow && !gone_) co_await room_.wait();
}

awaitable<Result<>> SessionSocket::send(std::string message) {
  http::WebSocket::Message frame;
  frame.binary = true;
  frame.data = std::move(message);
  co_return co_await socket_->write(std::move(frame));
}

}  // namespace trainyard::server
