#pragma once

#include "base/clock.h"
#include "base/notifier.h"
#include "base/task_group.h"
#include "client/watching/backoff.h"
#include "client/watching/work_queue.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

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
  /// It threw: says on the object what its owner should know. It is tried again, later and later.
  virtual awaitable<void> tell_internal_error(Key key, std::string text);
};

/// Runs a reconciler for keys: never twice at once for one key, again when the key was added while
/// it ran, later and later when it fails.
class Controller {
 public:
  Controller(std::string name, Executor loop, Clock& clock, Reconciler& reconciler);
  ~Controller();
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  void add(const Key& key);
  void add_all(const std::map<Key, Kept>& objects);
  /// For who expects more to come at once: all that is added for a key meanwhile is one look.
  void add_after(const Key& key, std::chrono::nanoseconds after);
  void start(int workers);
  awaitable<void> stop();

  /// How busy it is.
  struct Figures {
    std::string name;
    std::size_t depth = 0;      // objects that wait
    std::uint64_t adds = 0;     // objects that were taken up
    std::uint64_t retries = 0;  // because of failures
  };
  /// Of all controllers of this thread, by name.
  static std::vector<Figures> figures_of_all();

 private:
  awaitable<void> work();
  awaitable<Result<Requeue>> reconcile(Key key);
  awaitable<void> wake_at(TimePoint when);
  void set_alarm();
  void schedule(const Key& key, const Result<Requeue>& result);

  std::string name_;
  Clock& clock_;
  Reconciler& reconciler_;
  WorkQueue queue_;
  Backoff backoff_;
  std::multiset<TimePoint> alarms_;  // of the sleeping wake_at()s: the first is the queue's next
  Notifier added_;
  TaskGroup tasks_;
  std::uint64_t taken_ = 0;
  std::uint64_t retries_ = 0;
};

}  // namespace trainyard::client
