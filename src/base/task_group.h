#pragma once

#include "base/async.h"

#include <functional>
#include <memory>
#include <string>

namespace trainyard {

/// Owns background coroutines: names them, joins them, and sees to the exception that ended one
/// (base/unexpected.h).
/// Cancelling unwinds a coroutine by an exception out of its current co_await, so destructors run
/// and nobody has to check a flag. Lives on the loop thread; stop() must finish before it dies.
class TaskGroup {
 public:
  explicit TaskGroup(Executor executor);
  ~TaskGroup();
  TaskGroup(const TaskGroup&) = delete;
  TaskGroup& operator=(const TaskGroup&) = delete;

  /// For what the process cannot do without: an exception out of it ends the process. Once stop()
  /// was called a new task is dropped: what is going down starts nothing.
  void spawn(std::string name, awaitable<void> task);
  /// For what serves one object or one client: an exception out of it is told, and ends it alone.
  void spawn_contained(std::string name, awaitable<void> task);
  /// Cancels all tasks and returns when the last one has ended.
  awaitable<void> stop();
  std::size_t size() const;
  const Executor& executor() const;

 private:
  void start(std::string name, awaitable<void> task, bool contained);
  struct State;
  std::shared_ptr<State> state_;  // shared: a task's end may run after the group was left
};

/// Runs what concerns one object alone. An exception out of it is told (base/unexpected.h), and its
/// id is the result; empty when there was none. A cancellation goes on.
awaitable<std::string> run_contained(std::string where, awaitable<void> task);

/// Runs `body` and then `cleanup`: also when the body failed or was cancelled, and then nothing
/// cancels the clean-up. For coroutines that own tasks and may themselves be cancelled.
awaitable<void> with_cleanup(awaitable<void> body, awaitable<void> cleanup);

}  // namespace trainyard
