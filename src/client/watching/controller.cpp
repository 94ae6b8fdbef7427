#include "client/watching/controller.h"

#include "base/log.h"
#include "base/unexpected.h"

#include <fmt/format.h>

#include <exception>

namespace trainyard::client {
namespace {

/// A thread has one loop, and a loop's controllers live and die on it.
std::set<const Controller*>& controllers_here() {
  thread_local std::set<const Controller*> controllers;
  return controllers;
}

}  // namespace

awaitable<void> Reconciler::tell_internal_error(Key /*key*/, std::string /*text*/) {
  co_return;
}

Controller::Controller(std::string name, Executor loop, Clock& clock, Reconciler& reconciler)
    : name_(std::move(name)),
      clock_(clock),
      reconciler_(reconciler),
      added_(loop),
      tasks_(std::move(loop)) {
  controllers_here().insert(this);
}

Controller::~Controller() {
  controllers_here().erase(this);
}

std::vector<Controller::Figures> Controller::figures_of_all() {
  std::map<std::string, Figures> by_name;  // some kinds of jobs may share one
  for (const Controller* one : controllers_here()) {
    Figures& figures = by_name[one->name_];
    figures.name = one->name_;
    figures.depth += one->queue_.depth();
    figures.adds += one->taken_ + one->queue_.depth();
    figures.retries += one->retries_;
  }
  std::vector<Figures> all;
  for (auto& [name, figures] : by_name) all.push_back(std::move(figures));
  return all;
}

void Controller::add(const Key& key) {
  queue_.add(key);
  added_.notify_all();
}

void Controller::add_all(const std::map<Key, Kept>& objects) {
  for (const auto& [key, object] : objects) add(key);
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
  ++retries_;
  add_after(key, backoff_.failed(key, clock_.now()));
  // Conflicts are the ordinary way to learn that somebody was faster.
  if (result.failed_with(Code::kConflict) || result.failed_with(Code::kCancelled)) return;
  log_warn("reconcile failed, trying again", {{"controller", name_},
                                              {"key", key},
                                              {"failures", backoff_.failures(key)},
                                              {"cause", result.error().message()}});
}

/// What nobody expected is a failure of that key alone, and must not end the worker.
awaitable<Result<Requeue>> Controller::reconcile(Key key) {
  std::exception_ptr failure;
  try {
    co_return co_await reconciler_.reconcile(key);
  } catch (...) {
    failure = std::current_exception();
  }
  if (is_cancellation(failure)) std::rethrow_exception(failure);
  const std::string id = contain(fmt::format("{} {}", name_, key), failure);
  (void)co_await run_contained("telling of an internal error",
                               reconciler_.tell_internal_error(key, internal_error_text(id)));
  co_return Error(Code::kInternal, describe(failure));
}

awaitable<void> Controller::work() {
  while (true) {
    const std::optional<Key> key = queue_.take(clock_.now());
    set_alarm();
    if (!key) {
      co_await added_.wait();
      continue;
    }
    ++taken_;
    const Result<Requeue> result = co_await reconcile(*key);
    queue_.done(*key);
    schedule(*key, result);
  }
}

}  // namespace trainyard::client
