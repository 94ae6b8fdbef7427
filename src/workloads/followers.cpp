#include "workloads/followers.h"

#include <algorithm>

namespace trainyard::workloads {

Followers::Followers(Executor loop, client::Api& api, Clock& clock, Listener listener)
    : loop_(loop), api_(api), clock_(clock), listener_(std::move(listener)), tasks_(loop) {}

/// Metadata is enough. Of what others follow as a whole anyway it would only be a second copy.
client::ListOptions Followers::Follower::options_for(const Resource& resource) {
  client::ListOptions options;
  options.metadata_only = resource != kPods && resource != kServices && resource != kPodGroups &&
                          resource != kPyTorchTrainingJobs;
  return options;
}

void Followers::follow(const std::set<Resource>& resources) {
  for (auto follower = followers_.begin(); follower != followers_.end(); ++follower) {
    if (follower->leaving || resources.contains(follower->informer.resource())) continue;
    follower->leaving = true;
    tasks_.spawn_contained("end watch", dismiss(follower));
  }
  for (const Resource& resource : resources) {
    if (followed_.contains(resource)) continue;
    Follower& follower = followers_.emplace_back(loop_, api_, clock_, resource);
    follower.informer.add_listener([this, &follower](const ObjectPtr& object, bool deleted) {
      if (!follower.leaving) listener_(follower.informer.resource(), object, deleted);
    });
    follower.tasks.spawn("watch " + resource.plural, follower.informer.run());
  }
  followed_ = resources;
}

awaitable<void> Followers::dismiss(std::list<Follower>::iterator follower) {
  co_await follower->tasks.stop();
  followers_.erase(follower);
}

bool Followers::synced() const {
  return std::all_of(followers_.begin(), followers_.end(), [](const Follower& follower) {
    return follower.leaving || follower.informer.synced();
  });
}

awaitable<void> Followers::stop() {
  // A dismissal that is cancelled leaves its follower in the list, for the loop below.
  co_await tasks_.stop();
  for (Follower& follower : followers_) co_await follower.tasks.stop();
}

}  // namespace trainyard::workloads
