#pragma once

#include "base/clock.h"
#include "base/notifier.h"
#include "base/task_group.h"
#include "object/metadata.h"

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace trainyard::client {

/// When to look at an object again although nothing has happened to it.
class Requeue {
 public:
  Requeue() = default;
  explicit Requeue(std::optional<std::chrono::milliseconds> after) : after_(after) {}
  std::optional<std::chrono::milliseconds> after() const { return after_; }

 private:
  std::optional<std::chrono::milliseconds> after_;
};

/// Brings the world closer to what one object asks for. It is told the key only, must be right
/// after a crash at any line, and may be run at any time.
class Reconciler {
 public:
  virtual ~Reconciler() = default;
  virtual awaitable<Result<Requeue>> reconcile(Key key) = 0;
};

/// Runs a reconciler for keys: never twice at once for one key, again when the key was added while
/// it ran, later and later when it fails.
class Controller {
 public:
  Controller(std::string name, Executor loop, Clock& clock, Reconciler& reconciler);

  void add(const Key& key);
  void start(int workers);
  awaitable<void> stop();

 private:
  awaitable<void> work();
  awaitable<Result<Requeue>> reconcile(Key key);
  awaitable<void> add_later(Key key, std::chrono::milliseconds after);
  void schedule(const Key& key, const Result<Requeue>& result);

  std::string name_;
  Clock& clock_;
  Reconciler& reconciler_;
  std::deque<Key> queue_;
  std::set<Key> waiting_;  // in queue_, or to be put there when its run ends
  std::set<Key> running_;
  std::map<Key, int> failures_;
  std::map<Key, TimePoint> alarms_;  // the earliest pending add_later of a key
  Notifier added_;
  TaskGroup tasks_;
};

}  // namespace trainyard::client
