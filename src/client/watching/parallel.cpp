#include "client/watching/parallel.h"

#include "base/notifier.h"
#include "base/task_group.h"

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
  std::exception_ptr thrown;
  Notifier ended;
};

awaitable<void> take_one_by_one(std::shared_ptr<Work> work) {
  while (work->next < work->count) {
    Result<> done = co_await work->task(work->next++);
    if (!done && work->outcome) work->outcome = std::move(done);
  }
}

awaitable<void> work_off(std::shared_ptr<Work> work) {
  try {
    co_await take_one_by_one(work);
  } catch (...) {
    // Ours is for who waits for all; that we are cancelled, they know.
    if (!work->thrown) work->thrown = std::current_exception();
    work->next = work->count;
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
    group.spawn_contained("parallel work", work_off(work));
  }
  // Cancelled or not: nothing may leave before the tasks that use our caller's state have ended.
  co_await with_cleanup(wait_for_all(work), group.stop());
  if (work->thrown) std::rethrow_exception(work->thrown);
  co_return std::move(work->outcome);
}

}  // namespace trainyard::client
