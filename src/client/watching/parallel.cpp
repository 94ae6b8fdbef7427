#include "client/watching/parallel.h"

#include "base/notifier.h"
#include "base/task_group.h"

#include <boost/asio/this_coro.hpp>

#include <algorithm>
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

awaitable<void> wait_for_all(std::shared_ptr<Work> work) {
  while (work->workers > 0) co_await work->ended.wait();
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
  // Cancelled or not: nothing may leave before the tasks that use our caller's state have ended.
  co_await with_cleanup(wait_for_all(work), group.stop());
  co_return std::move(work->outcome);
}

}  // namespace trainyard::client
