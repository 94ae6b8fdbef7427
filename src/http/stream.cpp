#include "http/stream.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/ssl/stream.hpp>

#include <algorithm>
#include <array>

namespace trainyard::http {

namespace asio = boost::asio;

namespace {

// One TLS record carries no more, so gathering more would only copy.
constexpr std::size_t kRecordSize = 16 << 10;

}  // namespace

struct Stream::Tls {
  Tls(tcp::socket& socket, asio::ssl::context& context) : stream(socket, context) {}
  asio::ssl::stream<tcp::socket&> stream;
};

Stream::Stream(tcp::socket socket, asio::ssl::context* tls) : socket_(std::move(socket)) {
  if (tls != nullptr) tls_ = std::make_unique<Tls>(socket_, *tls);
}

Stream::~Stream() = default;

SSL* Stream::ssl() {
  return tls_ ? tls_->stream.native_handle() : nullptr;
}

awaitable<ErrorCode> Stream::handshake(asio::ssl::stream_base::handshake_type side) {
  if (!tls_) co_return ErrorCode();
  const auto [failure] = co_await tls_->stream.async_handshake(side, kAsTuple);
  co_return failure;
}

void Stream::close() {
  ErrorCode ignored;  // nothing to be done about a socket that does not close
  socket_.close(ignored);
}

awaitable<void> Stream::close_gracefully() {
  if (tls_) co_await tls_->stream.async_shutdown(kAsTuple);
  ErrorCode failure;
  socket_.shutdown(tcp::socket::shutdown_send, failure);
  std::array<char, 4096> rest;
  while (!failure) {
    std::tie(failure, std::ignore) = co_await socket_.async_read_some(asio::buffer(rest), kAsTuple);
  }
  close();
}

void Stream::start_read(asio::mutable_buffer into, IoHandler handler) {
  if (!unread_.empty()) {
    const std::size_t size = asio::buffer_copy(into, asio::buffer(unread_));
    unread_.erase(0, size);
    asio::post(get_executor(),
               boost::beast::bind_front_handler(std::move(handler), ErrorCode(), size));
  } else if (tls_) {
    tls_->stream.async_read_some(into, std::move(handler));
  } else {
    socket_.async_read_some(into, std::move(handler));
  }
}

void Stream::start_write(const WriteBuffers& from, IoHandler handler) {
  if (!tls_) {
    socket_.async_write_some(from, std::move(handler));
    return;
  }
  // Asio's TLS stream writes only the first buffer of a sequence. Gathered, a header and its body
  // become one record and one packet.
  if (from.size() <= 1) {
    tls_->stream.async_write_some(from.empty() ? asio::const_buffer() : from.front(),
                                  std::move(handler));
    return;
  }
  gathered_.resize(std::min(asio::buffer_size(from), kRecordSize));
  asio::buffer_copy(asio::buffer(gathered_), from);
  tls_->stream.async_write_some(asio::buffer(gathered_), std::move(handler));
}

}  // namespace trainyard::http
