#include "node/network/byte_relay.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <vector>

namespace trainyard::node {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

constexpr std::size_t kRelayPiece = 16 << 10;
constexpr auto kAsTuple = asio::as_tuple(asio::use_awaitable);

awaitable<void> pass_one_way(tcp::socket& from, tcp::socket& to) {
  std::vector<char> piece(kRelayPiece);
  boost::system::error_code ignored;
  while (true) {
    const auto [ended, size] = co_await from.async_read_some(asio::buffer(piece), kAsTuple);
    if (ended == asio::error::eof) {
      to.shutdown(tcp::socket::shutdown_send, ignored);
      co_return;
    }
    if (ended) break;
    const auto [lost, written] =
        co_await asio::async_write(to, asio::buffer(piece.data(), size), kAsTuple);
    if (lost) break;
  }
  // A connection that broke on one side is of no use on the other; this ends the other way too.
  reset(from);
  reset(to);
}

}  // namespace

awaitable<void> pass_bytes(tcp::socket left, tcp::socket right) {
  using namespace asio::experimental::awaitable_operators;
  boost::system::error_code ignored;
  left.set_option(tcp::no_delay(true), ignored);
  right.set_option(tcp::no_delay(true), ignored);
  co_await (pass_one_way(left, right) && pass_one_way(right, left));
}

void reset(tcp::socket& socket) {
  boost::system::error_code ignored;
  socket.set_option(asio::socket_base::linger(true, 0), ignored);
  socket.close(ignored);
}

}  // namespace trainyard::node
