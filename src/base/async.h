#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

/// The two Asio names that every asynchronous interface needs, and nothing heavier.
namespace trainyard {

using boost::asio::awaitable;
using Executor = boost::asio::any_io_executor;

}  // namespace trainyard
