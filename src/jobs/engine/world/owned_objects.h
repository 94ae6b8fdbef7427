#pragma once

#include "base/task_group.h"
#include "client/watching/informer.h"

#include <functional>
#include <list>
#include <string>
#include <vector>

namespace trainyard::jobs {

/// What jobs own, of a few kinds, followed once for all job kinds: found by its owner's uid,
/// without a look at what others own. What is written through it is seen at once
/// (Informer::note()).
class OwnedObjects {
 public:
  using Listener = std::function<void(const ObjectPtr& object)>;

  OwnedObjects(Executor loop, client::Api& api, Clock& clock,
               const std::vector<Resource>& resources);

  /// Before start(). Told of every owned object that came, changed or went.
  void on_change(Listener listener) { listeners_.push_back(std::move(listener)); }
  void start();
  awaitable<void> stop() { return tasks_.stop(); }
  /// Returns when all that there is has been seen.
  awaitable<void> wait_synced();

  /// Those whose controller the object with that uid is, ordered by name.
  std::vector<ObjectPtr> of(const Resource& resource, const std::string& uid) const;
  /// Creates an object, of any kind. One that is there already is as good: an earlier run got that
  /// far.
  awaitable<Result<>> create(Resource resource, std::string ns, Json object);

 private:
  client::Informer* informer(const Resource& resource);

  client::Api& api_;
  std::list<client::Informer> informers_;
  std::vector<Listener> listeners_;
  TaskGroup tasks_;
};

}  // namespace trainyard::jobs
