#include "workloads/garbage_collector.h"

#include "base/log.h"

#include <algorithm>

namespace trainyard::workloads {
namespace {

const Key kEverything{"", "all"};  // one look at all objects; they are in memory

}  // namespace

GarbageCollector::GarbageCollector(Executor loop, client::Api& api, Clock& clock,
                                   const std::vector<Resource>& resources)
    : api_(api), controller_("garbage collector", loop, clock, *this), tasks_(loop) {
  for (const Resource& resource : resources) {
    auto informer = std::make_unique<client::Informer>(loop, api, clock, resource);
    informer->add_listener([this](const ObjectPtr& object, bool deleted) {
      if (deleted || !has_live_owner(object->body())) controller_.add(kEverything);
    });
    followed_.push_back(Followed{resource, std::move(informer)});
  }
}

void GarbageCollector::start() {
  for (const Followed& followed : followed_) {
    tasks_.spawn("watch " + followed.resource.plural, followed.informer->run());
  }
  controller_.start(1);
}

awaitable<void> GarbageCollector::stop() {
  co_await tasks_.stop();
  co_await controller_.stop();
}

bool GarbageCollector::owner_exists(const Json& owner, std::string_view ns) const {
  const auto same_version = [&](const Followed& followed) {
    return followed.resource.api_version() == string_at(owner, "apiVersion");
  };
  // An owner of a kind that is not served here cannot be looked up, so nothing is removed for it.
  if (std::none_of(followed_.begin(), followed_.end(), same_version)) return true;
  return std::any_of(followed_.begin(), followed_.end(), [&](const Followed& followed) {
    if (!same_version(followed)) return false;
    const auto& objects = followed.informer->objects();
    const std::string name(string_at(owner, "name"));
    for (const Key& key : {Key{std::string(ns), name}, Key{"", name}}) {
      const auto found = objects.find(key);
      if (found != objects.end() && uid_of(found->second->body()) == string_at(owner, "uid")) {
        return true;
      }
    }
    return false;
  });
}

bool GarbageCollector::has_live_owner(const Json& object) const {
  const JsonArray& owners = array_at(object, "metadata.ownerReferences");
  return owners.empty() || std::any_of(owners.begin(), owners.end(), [&](const Json& owner) {
           return owner_exists(owner, namespace_of(object));
         });
}

awaitable<Result<>> GarbageCollector::collect(const Followed& followed, Key key, ObjectPtr object) {
  const Json& body = object->body();
  if (is_being_deleted(body)) co_return Ok();
  bool garbage = !has_live_owner(body);
  const JsonArray& owners = array_at(body, "metadata.ownerReferences");
  if (!owners.empty()) {
    // An owner younger than our copy of the list must not count as gone: ask before removing.
    for (const Json& owner : owners) {
      for (const Followed& other : followed_) {
        if (!garbage || other.resource.api_version() != string_at(owner, "apiVersion")) continue;
        const Key owner_key{key.ns, std::string(string_at(owner, "name"))};
        const auto exact = co_await api_.get(other.resource, owner_key);
        if (exact && uid_of((*exact)->body()) == string_at(owner, "uid")) garbage = false;
      }
    }
  } else if (!key.ns.empty()) {
    const Key ns{"", key.ns};
    garbage = (co_await api_.get(kNamespaces, ns)).failed_with(Code::kNotFound);
  }
  if (!garbage) co_return Ok();
  log_info("removing what belonged to a deleted object",
           {{"resource", followed.resource.plural}, {"object", key}});
  client::DeleteOptions options;
  options.uid = uid_of(body);
  auto removed = co_await api_.remove(followed.resource, key, std::move(options));
  if (!removed && !removed.failed_with(Code::kNotFound) && !removed.failed_with(Code::kConflict)) {
    co_return removed;
  }
  co_return Ok();
}

awaitable<Result<client::Requeue>> GarbageCollector::reconcile(Key) {
  for (const Followed& followed : followed_) co_await followed.informer->wait_synced();
  for (const Followed& followed : followed_) {
    // A copy: the informer's own changes while we wait for the removals.
    const std::map<Key, ObjectPtr> objects = followed.informer->objects();
    for (const auto& [key, object] : objects) {
      CO_TRY_OK(co_await collect(followed, key, object));
    }
  }
  co_return client::Requeue();
}

}  // namespace trainyard::workloads
