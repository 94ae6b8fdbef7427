#pragma once

#include "base/notifier.h"

#include <deque>
#include <memory>

namespace trainyard {

/// Lets those who come through one after the other, each in a turn of the loop of its own: five
/// hundred pieces of work that take two milliseconds each keep nobody else waiting for a second.
/// Belongs to the loop thread.
class Turnstile {
 public:
  explicit Turnstile(Executor loop) : state_(std::make_shared<State>(std::move(loop))) {}

  /// Returns when it is the caller's turn, at once where nobody else wants one.
  awaitable<void> pass();

 private:
  struct Waiter {
    explicit Waiter(const Executor& loop) : come(loop) {}
    Notifier come;
    bool has_come = false;
  };
  struct State {
    explicit State(Executor executor) : loop(std::move(executor)) {}
    Executor loop;
    std::deque<std::shared_ptr<Waiter>> waiting;
    bool taken = false;  // in this turn of the loop
  };
  static void let_next(std::shared_ptr<State> state);

  std::shared_ptr<State> state_;
};

}  // namespace trainyard
