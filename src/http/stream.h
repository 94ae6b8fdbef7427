#pragma once

#include "base/async.h"
#include "http/io_handler.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream_base.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/bind_handler.hpp>
#include <boost/beast/websocket/teardown.hpp>
#include <boost/container/static_vector.hpp>

#include <memory>
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
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  executor_type get_executor() { return socket_.get_executor(); }
  tcp::socket& socket() { return socket_; }
  /// Null without TLS.
  SSL* ssl();

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
        [this](auto handler, boost::asio::mutable_buffer into) {
          start_read(into, IoHandler(std::move(handler), get_executor()));
        },
        token, first_with_room(buffers));
  }

  template <class Buffers, class Token>
  auto async_write_some(const Buffers& buffers, Token&& token) {
    return boost::asio::async_initiate<Token, void(ErrorCode, std::size_t)>(
        [this](auto handler, const WriteBuffers& from) {
          start_write(from, IoHandler(std::move(handler), get_executor()));
        },
        token, first_of(buffers));
  }

 private:
  struct Tls;
  /// As many of a sequence as go into one write; the caller comes again with the rest.
  using WriteBuffers = boost::container::static_vector<boost::asio::const_buffer, 8>;

  template <class Buffers>
  static boost::asio::mutable_buffer first_with_room(const Buffers& buffers) {
    const auto end = boost::asio::buffer_sequence_end(buffers);
    for (auto it = boost::asio::buffer_sequence_begin(buffers); it != end; ++it) {
      const boost::asio::mutable_buffer buffer(*it);
      if (buffer.size() > 0) return buffer;
    }
    return {};
  }

  template <class Buffers>
  static WriteBuffers first_of(const Buffers& buffers) {
    WriteBuffers first;
    const auto end = boost::asio::buffer_sequence_end(buffers);
    for (auto it = boost::asio::buffer_sequence_begin(buffers); it != end; ++it) {
      const boost::asio::const_buffer buffer(*it);
      if (buffer.size() > 0) first.push_back(buffer);
      if (first.size() == first.capacity()) break;
    }
    return first;
  }

  void start_read(boost::asio::mutable_buffer into, IoHandler handler);
  void start_write(const WriteBuffers& from, IoHandler handler);

  tcp::socket socket_;
  std::unique_ptr<Tls> tls_;
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
