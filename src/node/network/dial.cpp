#include "node/network/dial.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>
#include <variant>

namespace trainyard::node {

namespace asio = boost::asio;
using asio::ip::tcp;

awaitable<Result<tcp::socket>> dial(Executor loop, Clock& clock, std::string ip, std::uint16_t port,
                                    std::chrono::nanoseconds timeout) {
  tcp::socket socket(loop);
  co_return co_await dial_by(std::move(socket), clock, std::move(ip), port, timeout);
}

awaitable<Result<tcp::socket>> dial_by(tcp::socket socket, Clock& clock, std::string ip,
                                       std::uint16_t port, std::chrono::nanoseconds timeout) {
  using namespace asio::experimental::awaitable_operators;
  const std::string place = fmt::format("{}:{}", ip, port);
  boost::system::error_code failed;
  const auto address = asio::ip::make_address(ip, failed);
  if (failed) co_return Error(Code::kUnavailable, fmt::format("dial tcp {}: no such host", place));
  const tcp::endpoint endpoint(address, port);
  auto first = co_await (socket.async_connect(endpoint, asio::as_tuple(asio::use_awaitable)) ||
                         clock.sleep_for(timeout));
  if (first.index() == 1) {
    co_return Error(Code::kTimeout, fmt::format("dial tcp {}: i/o timeout", place));
  }
  const auto [error] = std::get<0>(first);
  if (!error) co_return std::move(socket);
  std::string words = error.message();
  std::transform(words.begin(), words.begin() + 1, words.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  co_return Error(Code::kUnavailable, fmt::format("dial tcp {}: connect: {}", place, words));
}

}  // namespace trainyard::node
