#include "client/parallel.h"

#include "base/notifier.h"
#include "base/task_group.h"

#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/this_coro.hpp>

#include <algorithm>
#include <exception>
#include <memory>

namespace trainyard::client {

namespace asio = boost::asio;

namespace {

struct Work {
  explicit Work(const Executor& loop) : ended(loop) {}
  std::function<awaitable<Result<>>(std::size_t)> task;
  std::size_t count = 0;
  std::size_t next = 0;
  std::size_t workers = 0;
  Result<> outcome = Ok();
  Notifier ended;
};

awaitable<void> work_off(std::shared_ptr<Work> work) {
  while (work->next < work->count) {
    Result<> done = co_await work->task(work->next++);
    if (!done && work->outcome) work->outcome = std::move(done);
  }
  --work->workers;
  work->ended.notify_all();
}

}  // namespace

awaitable<Result<>> run_parallel(std::size_t count, std::size_t width,
                                 std::function<awaitable<Result<>>(std::size_t index)> task) {
  const Executor loop = co_await asio::this_coro::executor;
  const auto work = std::make_shared<Work>(loop);
  work->task = std::move(task);
  work->count = count;
  TaskGroup group(loop);
  for (std::size_t i = 0; i < std::min(count, width); ++i) {
    ++work->workers;
    group.spawn("parallel work", work_off(work));
  }
  std::exception_ptr failure;
  try {
    while (work->workers > 0) co_await work->ended.wait();
    co_await group.stop();
  } catch (...) {
    failure = std::current_exception();
  }
  if (failure) {
    // We were cancelled: nothing may leave before the tasks that use our caller's state have ended.
    co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
    co_await group.stop();
    std::rethrow_exception(failure);
  }
  co_return std::move(work->outcome);
}

}  // namespace trainyard::client
