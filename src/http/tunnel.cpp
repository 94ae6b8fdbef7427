#include "http/tunnel.h"

#include <boost/asio/experimental/awaitable_operators.hpp>

namespace trainyard::http {
namespace {

awaitable<bool> copy(Tunnel& from, Tunnel& to) {
  for (;;) {
    auto bytes = co_await from.read();
    if (!bytes || bytes->empty()) co_return true;
    const auto written = co_await to.write(*std::move(bytes));
    if (!written) co_return false;
  }
}

}  // namespace

awaitable<void> relay(Tunnel& one, Tunnel& other) {
  using namespace boost::asio::experimental::awaitable_operators;
  co_await (copy(one, other) || copy(other, one));
}

}  // namespace trainyard::http
