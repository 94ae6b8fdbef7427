#pragma once

#include "base/async.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/bind_handler.hpp>
#include <boost/beast/websocket/teardown.hpp>

#include <optional>
#include <string>
#include <utility>

namespace trainyard::http {

using boost::asio::ip::tcp;
using ErrorCode = boost::system::error_code;

/// Awaits an Asio operation and gives its error code as a value.
inline constexpr auto kAsTuple = boost::asio::as_tuple(boost::asio::use_awaitable);

/// A TCP connection with or without TLS. One type for both, so that the connection code and
/// Beast's WebSocket are compiled once, not per transport. One read and one write may be under way
/// at a time; whoever owns a Stream must outlive both.
class Stream {
 public:
  using executor_type = Executor;

  /// `tls` may be null: plain TCP. Otherwise it must outlive the stream.
  Stream(tcp::socket socket, boost::asio::ssl::context* tls);
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  executor_type get_executor() { return socket_.get_executor(); }
  tcp::socket& socket() { return socket_; }
  /// Null without TLS.
  SSL* ssl() { return tls_ ? tls_->native_handle() : nullptr; }

  /// Does nothing without TLS.
  awaitable<ErrorCode> handshake(boost::asio::ssl::stream_base::handshake_type side);
  /// Ends whatever is under way with an error, at once.
  void close();
  /// Says goodbye and reads until the other side has closed too: closing a socket with unread bytes
  /// resets it, and the peer could lose our last answer. The caller sees to it that it ends.
  awaitable<void> close_gracefully();
  /// The next reads give these bytes before any from the socket.
  void unread(std::string bytes) { unread_ = std::move(bytes); }

  template <class Buffers, class Token>
  auto async_read_some(const Buffers& buffers, Token&& token) {
    return boost::asio::async_initiate<Token, void(ErrorCode, std::size_t)>(
        [this](auto handler, const Buffers& into) { this->start_read(into, std::move(handler)); },
        token, buffers);
  }

  template <class Buffers, class Token>
  auto async_write_some(const Buffers& buffers, Token&& token) {
    return boost::asio::async_initiate<Token, void(ErrorCode, std::size_t)>(
        [this](auto handler, const Buffers& from) { this->start_write(from, std::move(handler)); },
        token, buffers);
  }

 private:
  // One TLS record carries no more, so gathering more would only copy.
  static constexpr std::size_t kRecordSize = 16 << 10;

  template <class Buffers, class Handler>
  void start_read(const Buffers& into, Handler handler) {
    if (!unread_.empty()) {
      const std::size_t size = boost::asio::buffer_copy(into, boost::asio::buffer(unread_));
      unread_.erase(0, size);
      boost::asio::post(get_executor(),
                        boost::beast::bind_front_handler(std::move(handler), ErrorCode(), size));
    } else if (tls_) {
      tls_->async_read_some(into, std::move(handler));
    } else {
      socket_.async_read_some(into, std::move(handler));
    }
  }

  template <class Buffers, class Handler>
  void start_write(const Buffers& from, Handler handler) {
    if (!tls_) {
      socket_.async_write_some(from, std::move(handler));
      return;
    }
    // Asio's TLS stream writes only the first buffer of a sequence. Gathered, a header and its body
    // become one record and one packet.
    if (std::next(boost::asio::buffer_sequence_begin(from)) ==
        boost::asio::buffer_sequence_end(from)) {
      tls_->async_write_some(from, std::move(handler));
      return;
    }
    gathered_.resize(std::min(boost::asio::buffer_size(from), kRecordSize));
    boost::asio::buffer_copy(boost::asio::buffer(gathered_), from);
    tls_->async_write_some(boost::asio::buffer(gathered_), std::move(handler));
  }

  tcp::socket socket_;
  std::optional<boost::asio::ssl::stream<tcp::socket&>> tls_;
  std::string gathered_;  // what the write under way sends
  std::string unread_;
};

// What Beast's WebSocket asks of its transport. Its teardown does nothing: the connection says
// goodbye when the handler has returned, with a time limit that Beast does not have.
inline void beast_close_socket(Stream& stream) {
  stream.close();
}
inline void teardown(boost::beast::role_type /*role*/, Stream& /*stream*/, ErrorCode& failure) {
  failure = {};
}
template <class Handler>
void async_teardown(boost::beast::role_type /*role*/, Stream& stream, Handler&& handler) {
  boost::asio::post(stream.get_executor(),
                    boost::beast::bind_front_handler(std::forward<Handler>(handler), ErrorCode()));
}

}  // namespace trainyard::http
