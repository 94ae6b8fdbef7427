#include "client/informer.h"

#include "base/log.h"

namespace trainyard::client {

using namespace std::chrono_literals;

namespace {
constexpr std::chrono::milliseconds kFirstPause = 100ms;
}

Informer::Informer(Executor loop, Api& api, Clock& clock, Resource resource, ListOptions options)
    : api_(api),
      clock_(clock),
      resource_(std::move(resource)),
      options_(std::move(options)),
      synced_changed_(loop) {}

awaitable<void> Informer::wait_synced() {
  while (!synced_) co_await synced_changed_.wait();
}

void Informer::tell(const ObjectPtr& object, bool deleted) {
  for (const Listener& listener : listeners_) listener(object, deleted);
}

awaitable<Result<std::string>> Informer::list_once() {
  CO_TRY(Listing listing, co_await api_.list(resource_, options_));
  std::map<Key, ObjectPtr> before;
  before.swap(objects_);
  for (const ObjectPtr& object : listing.items) objects_[key_of(object->body())] = object;
  for (const auto& [key, object] : before) {
    // Gone, or another object of the same name: the old one was deleted in between.
    const auto now = objects_.find(key);
    if (now == objects_.end() || uid_of(now->second->body()) != uid_of(object->body())) {
      tell(object, true);
    }
  }
  for (const ObjectPtr& object : listing.items) tell(object, false);
  synced_ = true;
  synced_changed_.notify_all();
  co_return listing.resource_version;
}

awaitable<Result<>> Informer::watch_from(std::string& version) {
  CO_TRY(const std::unique_ptr<Watch> watch, co_await api_.watch(resource_, options_, version));
  while (true) {
    CO_TRY(const WatchEvent event, co_await watch->next());
    version = string_at(event.object->body(), "metadata.resourceVersion");
    if (event.type == WatchEvent::Type::kBookmark) continue;
    const bool deleted = event.type == WatchEvent::Type::kDeleted;
    const Key key = key_of(event.object->body());
    if (deleted) {
      objects_.erase(key);
    } else {
      objects_[key] = event.object;
    }
    tell(event.object, deleted);
  }
}

awaitable<void> Informer::run() {
  std::chrono::milliseconds pause = kFirstPause;
  std::string version;
  while (true) {
    Result<> ended = Ok();
    if (version.empty()) {
      auto listed = co_await list_once();
      if (listed) {
        version = *std::move(listed);
      } else {
        ended = std::move(listed).error();
      }
    }
    const std::string before = version;
    if (ended) ended = co_await watch_from(version);
    if (version != before) pause = kFirstPause;
    if (ended.failed_with(Code::kExpired)) {
      version.clear();
      continue;
    }
    log_warn("watch interrupted, trying again",
             {{"resource", resource_.plural}, {"cause", ended.error().message()}});
    co_await clock_.sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::milliseconds(10s));
  }
}

}  // namespace trainyard::client
