#pragma once

#include "base/clock.h"
#include "base/notifier.h"
#include "client/api.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace trainyard::client {

/// Follows a resource: lists it, watches it, lists again when its place is lost, and tells its
/// listeners of every object that came, changed or went. Its copy lags behind writes by a moment:
/// it says *that* something changed; who needs the exact state asks the Api.
class Informer {
 public:
  /// `object` is the new state, or the last one when `deleted`.
  using Listener = std::function<void(const ObjectPtr& object, bool deleted)>;

  Informer(Executor loop, Api& api, Clock& clock, Resource resource, ListOptions options = {});

  /// Before run(). Every listener first hears of all objects that exist.
  void add_listener(Listener listener) { listeners_.push_back(std::move(listener)); }
  /// Runs until it is cancelled.
  awaitable<void> run();
  /// Returns when the first list has been told.
  awaitable<void> wait_synced();

  const std::map<Key, ObjectPtr>& objects() const { return objects_; }

 private:
  awaitable<Result<std::string>> list_once();
  awaitable<Result<>> watch_from(std::string& version);
  void tell(const ObjectPtr& object, bool deleted);

  Api& api_;
  Clock& clock_;
  Resource resource_;
  ListOptions options_;
  std::vector<Listener> listeners_;
  std::map<Key, ObjectPtr> objects_;
  bool synced_ = false;
  Notifier synced_changed_;
};

}  // namespace trainyard::client
