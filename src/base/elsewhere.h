#pragma once

#include "base/notifier.h"

#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>

#include <exception>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace trainyard {

/// Runs `work` on another executor, such as a thread's, and comes back with its value, or with the
/// exception that it threw. Who is
/// cancelled meanwhile leaves at once; the work, which cannot be stopped, is then done for nobody.
/// Not co_spawn: Asio passes the cancellation on to the other thread by a pointer that may be gone
/// when it arrives there.
template <class Work>
awaitable<std::invoke_result_t<Work>> run_elsewhere(Executor where, Work work) {
  struct Outcome {
    explicit Outcome(const Executor& here) : arrived(here) {}
    std::optional<std::invoke_result_t<Work>> value;
    std::exception_ptr failure;
    Notifier arrived;  // of the loop: only moved through the other thread, never touched there
  };
  const Executor here = co_await boost::asio::this_coro::executor;
  const auto outcome = std::make_shared<Outcome>(here);
  boost::asio::post(where, [here, kept = outcome, work = std::move(work)]() mutable {
    std::optional<std::invoke_result_t<Work>> value;
    std::exception_ptr failure;
    try {
      // Gone before anybody hears of its value: what it holds has an end that people wait for.
      value = [mine = std::move(work)]() mutable { return mine(); }();
    } catch (...) {
      failure = std::current_exception();
    }
    boost::asio::post(here, [kept = std::move(kept), value = std::move(value), failure]() mutable {
      kept->value = std::move(value);
      kept->failure = failure;
      kept->arrived.notify_all();
    });
  });
  while (!outcome->value && !outcome->failure) co_await outcome->arrived.wait();
  if (outcome->failure) std::rethrow_exception(outcome->failure);
  co_return *std::move(outcome->value);
}

}  // namespace trainyard
