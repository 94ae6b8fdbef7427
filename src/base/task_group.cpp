#include "base/task_group.h"

#include "base/check.h"
#include "base/notifier.h"
#include "base/unexpected.h"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <exception>
#include <list>

namespace trainyard {

namespace asio = boost::asio;

struct TaskGroup::State {
  explicit State(Executor loop) : executor(std::move(loop)), ended(executor) {}

  struct Task {
    std::string name;
    asio::cancellation_signal cancel;
  };

  Executor executor;
  std::list<Task> tasks;
  Notifier ended;
  bool stopping = false;
};

TaskGroup::TaskGroup(Executor executor) : state_(std::make_shared<State>(std::move(executor))) {}

TaskGroup::~TaskGroup() {
  CHECK(state_->tasks.empty());
}

void TaskGroup::spawn(std::string name, awaitable<void> task) {
  start(std::move(name), std::move(task), /*contained=*/false);
}

void TaskGroup::spawn_contained(std::string name, awaitable<void> task) {
  start(std::move(name), std::move(task), /*contained=*/true);
}

void TaskGroup::start(std::string name, awaitable<void> task, bool contained) {
  if (state_->stopping) return;
  auto entry = state_->tasks.emplace(state_->tasks.end());
  entry->name = std::move(name);
  asio::co_spawn(state_->executor, std::move(task),
                 asio::bind_cancellation_slot(
                     entry->cancel.slot(),
                     [state = state_, entry, contained](const std::exception_ptr& failure) {
                       if (failure && !is_cancellation(failure)) {
                         // What is being cancelled is missed by nobody.
                         if (!contained && !state->stopping) {
                           end_process(entry->name, failure);
                         }
                         contain(entry->name, failure);
                       }
                       state->tasks.erase(entry);
                       state->ended.notify_all();
                     }));
}

awaitable<void> TaskGroup::stop() {
  // A copy: the last task to end may take the group's owner with it.
  const std::shared_ptr<State> state = state_;
  state->stopping = true;
  // A task may end, and leave the list, while it is being cancelled: take the next one first.
  for (auto task = state->tasks.begin(); task != state->tasks.end();) {
    auto current = task++;
    current->cancel.emit(asio::cancellation_type::all);
  }
  while (!state->tasks.empty()) co_await state->ended.wait();
}

std::size_t TaskGroup::size() const {
  return state_->tasks.size();
}

const Executor& TaskGroup::executor() const {
  return state_->executor;
}

awaitable<std::string> run_contained(std::string where, awaitable<void> task) {
  try {
    co_await std::move(task);
  } catch (...) {
    if (is_cancellation(std::current_exception())) throw;
    co_return contain(where, std::current_exception());
  }
  co_return "";
}

awaitable<void> with_cleanup(awaitable<void> body, awaitable<void> cleanup) {
  std::exception_ptr failure;
  try {
    co_await std::move(body);
  } catch (...) {
    failure = std::current_exception();
  }
  // In a coroutine of its own, out of reach of this one's cancellation. Disabling that here instead
  // would last beyond this function, and forget a cancellation that comes meanwhile.
  const bool throws = co_await asio::this_coro::throw_if_cancelled();
  co_await asio::this_coro::throw_if_cancelled(false);
  co_await asio::co_spawn(
      co_await asio::this_coro::executor, std::move(cleanup),
      asio::bind_cancellation_slot(asio::cancellation_slot(), asio::use_awaitable));
  co_await asio::this_coro::throw_if_cancelled(throws);
  if (failure) std::rethrow_exception(failure);
}

}  // namespace trainyard
