#include "client/controller.h"

#include "base/log.h"

#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>

#include <exception>

namespace trainyard::client {

Controller::Controller(std::string name, Executor loop, Clock& clock, Reconciler& reconciler)
    : name_(std::move(name)),
      clock_(clock),
      reconciler_(reconciler),
      added_(loop),
      tasks_(std::move(loop)) {}

void Controller::add(const Key& key) {
  queue_.add(key);
  added_.notify_all();
}

void Controller::add_after(const Key& key, std::chrono::nanoseconds after) {
  queue_.add_at(key, clock_.now() + std::chrono::duration_cast<TimePoint::duration>(after));
  set_alarm();
}

void Controller::start(int workers) {
  for (int i = 0; i < workers; ++i) tasks_.spawn(name_, work());
  set_alarm();
}

awaitable<void> Controller::stop() {
  return tasks_.stop();
}

/// One sleeper is enough for all keys; another is needed only for an earlier time than its own.
void Controller::set_alarm() {
  const std::optional<TimePoint> next = queue_.next_time();
  if (!next || (!alarms_.empty() && *alarms_.begin() <= *next)) return;
  alarms_.insert(*next);
  tasks_.spawn(name_ + " alarm", wake_at(*next));
}

awaitable<void> Controller::wake_at(TimePoint when) {
  co_await clock_.sleep_until(when);
  alarms_.erase(alarms_.find(when));
  added_.notify_all();
}

void Controller::schedule(const Key& key, const Result<Requeue>& result) {
  if (result) {
    backoff_.forget(key);
    if (result->after()) add_after(key, *result->after());
    return;
  }
  add_after(key, backoff_.failed(key, clock_.now()));
  // Conflicts are the ordinary way to learn that somebody was faster.
  if (result.failed_with(Code::kConflict) || result.failed_with(Code::kCancelled)) return;
  log_warn("reconcile failed, trying again", {{"controller", name_},
                                              {"key", key},
                                              {"failures", backoff_.failures(key)},
                                              {"cause", result.error().message()}});
}

/// What a library throws at us must not end the worker: it counts as a failure of that key.
awaitable<Result<Requeue>> Controller::reconcile(Key key) {
  std::string what;
  try {
    co_return co_await reconciler_.reconcile(std::move(key));
  } catch (const boost::system::system_error& error) {
    if (error.code() == boost::asio::error::operation_aborted) throw;
    what = error.what();
  } catch (const std::exception& error) {
    what = error.what();
  }
  co_return Error(Code::kInternal, what);
}

awaitable<void> Controller::work() {
  while (true) {
    const std::optional<Key> key = queue_.take(clock_.now());
    set_alarm();
    if (!key) {
      co_await added_.wait();
      continue;
    }
    const Result<Requeue> result = co_await reconcile(*key);
    queue_.done(*key);
    schedule(*key, result);
  }
}

}  // namespace trainyard::client
