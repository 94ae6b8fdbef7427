#pragma once

#include "base/async.h"

#include <boost/asio/steady_timer.hpp>

namespace trainyard {

/// Wakes every coroutine that waits on it. Belongs to the loop thread; hold it at least as long as
/// somebody waits. Use it as a condition variable: `while (!ready) co_await changed.wait();`
class Notifier {
 public:
  explicit Notifier(const Executor& executor)
      : timer_(executor, boost::asio::steady_timer::time_point::max()) {}

  awaitable<void> wait();
  void notify_all() { timer_.cancel(); }

 private:
  boost::asio::steady_timer timer_;  // never expires: cancelling it is the notification
};

}  // namespace trainyard
