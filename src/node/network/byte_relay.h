#pragma once

#include "base/async.h"

#include <boost/asio/ip/tcp.hpp>

namespace trainyard::node {

/// Passes bytes both ways until both sides have ended. An end is passed on by itself, so that one
/// side may still answer when the other has said all.
awaitable<void> pass_bytes(boost::asio::ip::tcp::socket left, boost::asio::ip::tcp::socket right);

/// Closes at once, so that the other side hears of a failure and not of an end.
void reset(boost::asio::ip::tcp::socket& socket);

}  // namespace trainyard::node
