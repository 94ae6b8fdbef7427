#pragma once

#include "base/async.h"

#include <optional>
#include <utility>

namespace boost::asio {
class io_context;
}

/// Running a coroutine from code that is none: commands, tests. What Asio does for that takes a
/// compiler a second in each file; here it is compiled once.
namespace trainyard {

Executor executor_of(boost::asio::io_context& loop);

/// Runs the loop until the task has ended; throws what it threw. The loop runs on while other work
/// keeps it waiting, and not longer than the task.
void run_to_end(boost::asio::io_context& loop, awaitable<void> task);

template <class T>
awaitable<void> keep_result(awaitable<T> task, std::optional<T>* result) {
  *result = co_await std::move(task);
}

template <class T>
T run_to_end(boost::asio::io_context& loop, awaitable<T> task) {
  std::optional<T> result;
  run_to_end(loop, keep_result(std::move(task), &result));
  return *std::move(result);
}

}  // namespace trainyard
