#pragma once

#include "base/clock.h"
#include "base/notifier.h"
#include "client/api.h"
#include "client/watching/object_index.h"

#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace trainyard::client {

/// Follows a resource: lists it, watches it, and tells its listeners of every object that came,
/// changed or went. A lost connection is taken up again at the last version seen; when that place
/// is gone it lists again. Its copy lags behind writes by a moment. Who decides by it, and writes,
/// tells it what was written (note()): then it is never behind that.
class Informer {
 public:
  /// `object` is the new state, or the last one when `deleted`.
  using Listener = std::function<void(const ObjectPtr& object, bool deleted)>;

  Informer(Executor loop, Api& api, Clock& clock, Resource resource, ListOptions options = {});

  /// Before run(). Every listener first hears of all objects that exist.
  void add_listener(Listener listener) { listeners_.push_back(std::move(listener)); }
  /// Before run(). Called when it had to list again: objects may have come and gone that it never
  /// saw. Who reads them past it, and waits to be told of their end, has to look for itself.
  void on_gap(std::function<void()> listener) { gap_listeners_.push_back(std::move(listener)); }
  /// Before run(). Objects can then be found by the values that the function names for them.
  void add_index(const std::string& name, ObjectIndex::ValuesOf values_of) {
    objects_.add_index(name, std::move(values_of));
  }
  /// Before run(). It only tells, and keeps no copy: it forgets what it has told of, so that after
  /// a lost watch all are told of again, and none that has gone meanwhile.
  void keep_no_copy() { keeps_copy_ = false; }
  /// Runs until it is cancelled.
  awaitable<void> run();
  /// Returns when the first list has been told.
  awaitable<void> wait_synced();
  bool synced() const { return synced_; }

  /// An object as the Api gave it back to who has just written it: part of the copy from now on,
  /// instead of when the watch brings it. Nobody is told before that.
  void note(const ObjectPtr& written);

  const Resource& resource() const { return resource_; }
  const std::map<Key, Kept>& objects() const { return objects_.all(); }
  std::vector<ObjectPtr> by_index(const std::string& name, const std::string& value) const {
    return objects_.by_index(name, value);
  }

 private:
  awaitable<Result<>> follow();
  awaitable<Result<>> list_once();
  awaitable<Result<>> watch_on();
  bool is_newer_known(const ObjectPtr& object) const;
  void tell(const ObjectPtr& object, bool deleted);
  std::chrono::milliseconds with_jitter(std::chrono::milliseconds pause);

  Api& api_;
  Clock& clock_;
  Resource resource_;
  ListOptions options_;
  std::vector<Listener> listeners_;
  std::vector<std::function<void()>> gap_listeners_;
  ObjectIndex objects_;
  std::string version_;       // the place in the history; empty: list first
  std::int64_t seen_ = 0;     // all up to this revision has been seen
  std::uint64_t events_ = 0;  // that watches have brought
  bool synced_ = false;
  bool keeps_copy_ = true;
  Notifier synced_changed_;
  std::minstd_rand dice_;
};

}  // namespace trainyard::client
