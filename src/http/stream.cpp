#include "http/stream.h"

#include <array>

namespace trainyard::http {

namespace asio = boost::asio;

Stream::Stream(tcp::socket socket, asio::ssl::context* tls) : socket_(std::move(socket)) {
  if (tls != nullptr) tls_.emplace(socket_, *tls);
}

awaitable<ErrorCode> Stream::handshake(asio::ssl::stream_base::handshake_type side) {
  if (!tls_) co_return ErrorCode();
  const auto [failure] = co_await tls_->async_handshake(side, kAsTuple);
  co_return failure;
}

void Stream::close() {
  ErrorCode ignored;  // nothing to be done about a socket that does not close
  socket_.close(ignored);
}

awaitable<void> Stream::close_gracefully() {
  if (tls_) co_await tls_->async_shutdown(kAsTuple);
  ErrorCode failure;
  socket_.shutdown(tcp::socket::shutdown_send, failure);
  std::array<char, 4096> rest;
  while (!failure) {
    std::tie(failure, std::ignore) = co_await socket_.async_read_some(asio::buffer(rest), kAsTuple);
  }
  close();
}

}  // namespace trainyard::http
