#include "jobs/engine/world/owned_objects.h"

#include <algorithm>

namespace trainyard::jobs {
namespace {

constexpr const char* kByController = "controller";

std::vector<std::string> controller_uid(const Json& object) {
  const Json* owner = controller_of(object);
  if (owner == nullptr) return {};
  return {std::string(string_at(*owner, "uid"))};
}

}  // namespace

OwnedObjects::OwnedObjects(Executor loop, client::Api& api, Clock& clock,
                           const std::vector<Resource>& resources)
    : api_(api), tasks_(loop) {
  for (const Resource& resource : resources) {
    client::Informer& added = informers_.emplace_back(loop, api, clock, resource);
    added.add_index(kByController, controller_uid);
    added.add_listener([this](const ObjectPtr& object, bool) {
      if (controller_of(object->body()) == nullptr) return;
      for (const Listener& listener : listeners_) listener(object);
    });
  }
}

void OwnedObjects::start() {
  for (client::Informer& informer : informers_) {
    tasks_.spawn("watch " + informer.resource().plural + " of jobs", informer.run());
  }
}

awaitable<void> OwnedObjects::wait_synced() {
  for (client::Informer& informer : informers_) co_await informer.wait_synced();
}

/// nullptr: it is not followed.
client::Informer* OwnedObjects::informer(const Resource& resource) {
  const auto found =
      std::find_if(informers_.begin(), informers_.end(),
                   [&](const client::Informer& one) { return one.resource() == resource; });
  return found == informers_.end() ? nullptr : &*found;
}

std::vector<ObjectPtr> OwnedObjects::of(const Resource& resource, const std::string& uid) const {
  for (const client::Informer& informer : informers_) {
    if (informer.resource() == resource) return informer.by_index(kByController, uid);
  }
  return {};
}

awaitable<Result<>> OwnedObjects::create(Resource resource, std::string ns, Json object) {
  Key key{ns, std::string(name_of(object))};
  auto written = co_await api_.create(resource, std::move(ns), std::move(object));
  if (written.failed_with(Code::kAlreadyExists)) {
    // Not heard of yet, or somebody else's.
    written = co_await api_.get(resource, std::move(key));
    if (written.failed_with(Code::kNotFound)) co_return Ok();
  }
  if (!written) co_return std::move(written).error();
  if (client::Informer* followed = informer(resource)) followed->note(*written);
  co_return Ok();
}

}  // namespace trainyard::jobs
