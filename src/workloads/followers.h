#pragma once

#include "base/task_group.h"
#include "client/watching/informer.h"

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <set>

namespace trainyard::workloads {

/// Informers of a set of resources that changes while they run.
class Followers {
 public:
  using Listener =
      std::function<void(const Resource& resource, const ObjectPtr& object, bool deleted)>;

  Followers(Executor loop, client::Api& api, Clock& clock, Listener listener);

  /// Follows exactly these from now on. Of a resource that is no longer followed nothing is heard
  /// any more, not even that its objects went.
  void follow(const std::set<Resource>& resources);
  const std::set<Resource>& followed() const { return followed_; }
  /// Whether all objects of all resources have been told.
  bool synced() const;
  awaitable<void> stop();

 private:
  struct Follower {
    Follower(const Executor& loop, client::Api& api, Clock& clock, const Resource& resource)
        : informer(loop, api, clock, resource, options_for(resource)), tasks(loop) {}
    static client::ListOptions options_for(const Resource& resource);
    client::Informer informer;
    TaskGroup tasks;
    bool leaving = false;
  };
  awaitable<void> dismiss(std::list<Follower>::iterator follower);

  Executor loop_;
  client::Api& api_;
  Clock& clock_;
  Listener listener_;
  std::set<Resource> followed_;
  std::list<Follower> followers_;
  TaskGroup tasks_;
};

}  // namespace trainyard::workloads
