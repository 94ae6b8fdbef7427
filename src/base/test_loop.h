#pragma once

#include "base/async.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <exception>
#include <functional>
#include <optional>
#include <utility>

namespace trainyard {

/// For tests: an event loop that runs as far as the test needs.
class TestLoop {
 public:
  Executor executor() { return loop_.get_executor(); }

  /// Runs a coroutine to its end and returns its value.
  template <class T>
  T run(awaitable<T> task) {
    std::optional<T> result;
    boost::asio::co_spawn(loop_, std::move(task), [&](const std::exception_ptr& failure, T value) {
      if (failure) std::rethrow_exception(failure);
      result = std::move(value);
    });
    run_until([&] { return result.has_value(); });
    return *std::move(result);
  }
  void run(awaitable<void> task) {
    bool done = false;
    boost::asio::co_spawn(loop_, std::move(task), [&](const std::exception_ptr& failure) {
      if (failure) std::rethrow_exception(failure);
      done = true;
    });
    run_until([&] { return done; });
  }

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
