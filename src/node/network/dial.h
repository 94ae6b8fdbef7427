#pragma once

#include "base/clock.h"

#include <boost/asio/ip/tcp.hpp>

#include <chrono>
#include <cstdint>
#include <string>

namespace trainyard::node {

/// Connects to a port of an address, within the timeout. kUnavailable and kTimeout say what was
/// tried, in the words that users of probes know.
awaitable<Result<boost::asio::ip::tcp::socket>> dial(Executor loop, Clock& clock, std::string ip,
                                                     std::uint16_t port,
                                                     std::chrono::nanoseconds timeout);

/// The same by a socket that is there already: it may belong to another network than ours.
awaitable<Result<boost::asio::ip::tcp::socket>> dial_by(boost::asio::ip::tcp::socket socket,
                                                        Clock& clock, std::string ip,
                                                        std::uint16_t port,
                                                        std::chrono::nanoseconds timeout);

}  // namespace trainyard::node
