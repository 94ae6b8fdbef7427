#include "base/turnstile.h"

#include <boost/asio/post.hpp>

namespace trainyard {

awaitable<void> Turnstile::pass() {
  const std::shared_ptr<State> state = state_;
  if (!state->taken) {
    state->taken = true;
    boost::asio::post(state->loop, [state] { let_next(state); });
    co_return;
  }
  const auto own = std::make_shared<Waiter>(state->loop);
  state->waiting.push_back(own);
  while (!own->has_come) co_await own->come.wait();
}

/// Behind whatever the one before has left the loop to do.
void Turnstile::let_next(std::shared_ptr<State> state) {
  if (state->waiting.empty()) {
    state->taken = false;
    return;
  }
  const std::shared_ptr<Waiter> next = std::move(state->waiting.front());
  state->waiting.pop_front();
  next->has_come = true;
  next->come.notify_all();
  boost::asio::post(state->loop, [state] { let_next(state); });
}

}  // namespace trainyard
