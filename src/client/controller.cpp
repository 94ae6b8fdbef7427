#include "client/controller.h"

#include "base/log.h"

#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>
#include <exception>

namespace trainyard::client {

using namespace std::chrono_literals;

namespace {

std::chrono::milliseconds backoff(int failures) {
  const auto pause = 10ms * (1 << std::min(failures - 1, 12));
  return std::min<std::chrono::milliseconds>(pause, 30s);
}

}  // namespace

Controller::Controller(std::string name, Executor loop, Clock& clock, Reconciler& reconciler)
    : name_(std::move(name)),
      clock_(clock),
      reconciler_(reconciler),
      added_(loop),
      tasks_(std::move(loop)) {}

void Controller::add(const Key& key) {
  if (!waiting_.insert(key).second || running_.contains(key)) return;
  queue_.push_back(key);
  added_.notify_all();
}

void Controller::start(int workers) {
  for (int i = 0; i < workers; ++i) tasks_.spawn(name_, work());
}

awaitable<void> Controller::stop() {
  return tasks_.stop();
}

awaitable<void> Controller::add_later(Key key, std::chrono::milliseconds after) {
  const TimePoint when = clock_.now() + after;
  co_await clock_.sleep_until(when);
  if (const auto alarm = alarms_.find(key); alarm != alarms_.end() && alarm->second <= when) {
    alarms_.erase(alarm);
  }
  add(key);
}

void Controller::schedule(const Key& key, const Result<Requeue>& result) {
  std::optional<std::chrono::milliseconds> after;
  if (result) {
    failures_.erase(key);
    after = result->after();
  } else {
    after = backoff(++failures_[key]);
    // Conflicts are the ordinary way to learn that somebody was faster.
    if (!result.failed_with(Code::kConflict)) {
      log_warn("reconcile failed, trying again",
               {{"controller", name_}, {"key", key}, {"cause", result.error().message()}});
    }
  }
  if (!after) return;
  const TimePoint when = clock_.now() + *after;
  const auto [alarm, fresh] = alarms_.try_emplace(key, when);
  if (!fresh && alarm->second <= when) return;
  alarm->second = when;
  tasks_.spawn(name_ + " alarm", add_later(key, *after));
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
    while (queue_.empty()) co_await added_.wait();
    const Key key = queue_.front();
    queue_.pop_front();
    waiting_.erase(key);
    running_.insert(key);
    const Result<Requeue> result = co_await reconcile(key);
    running_.erase(key);
    if (waiting_.contains(key)) {
      queue_.push_back(key);
      added_.notify_all();
    }
    schedule(key, result);
  }
}

}  // namespace trainyard::client
