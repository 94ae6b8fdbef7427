#pragma once

#include "base/run_to_end.h"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <functional>
#include <utility>

namespace trainyard {

/// For tests: an event loop that runs as far as the test needs.
class TestLoop {
 public:
  Executor executor() { return executor_of(loop_); }

  /// Runs a coroutine to its end and returns its value.
  template <class T>
  T run(awaitable<T> task) {
    return run_to_end(loop_, std::move(task));
  }
  void run(awaitable<void> task) { run_to_end(loop_, std::move(task)); }

  /// Runs what is ready, and waits for more, until the condition holds. A condition that never
  /// comes true is for the test runner's timeout.
  void run_until(const std::function<bool()>& condition) {
    const auto work = boost::asio::make_work_guard(loop_);
    loop_.restart();
    while (!condition()) loop_.run_one();
  }
  /// Runs what is ready now.
  void run_ready() {
    loop_.restart();
    loop_.poll();
  }

 private:
  boost::asio::io_context loop_;
};

}  // namespace trainyard
