#include "base/notifier.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

namespace trainyard {

awaitable<void> Notifier::wait() {
  namespace asio = boost::asio;
  co_await timer_.async_wait(asio::as_tuple(asio::use_awaitable));
  // A notification and the cancellation of the waiting coroutine look alike; the latter unwinds.
  const asio::cancellation_state state = co_await asio::this_coro::cancellation_state;
  if (state.cancelled() != asio::cancellation_type::none) {
    throw boost::system::system_error(asio::error::operation_aborted);
  }
}

}  // namespace trainyard
