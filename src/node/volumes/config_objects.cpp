#include "node/volumes/config_objects.h"

namespace trainyard::node {

ConfigObjects::ConfigObjects(Executor loop, client::Api& api, Clock& clock)
    : config_maps_(loop, api, clock, kConfigMaps),
      secrets_(loop, api, clock, kSecrets),
      tasks_(loop) {
  const auto tell = [this](const ObjectPtr& object, bool) {
    if (listener_) listener_(key_of(object->body()));
  };
  config_maps_.add_listener(tell);
  secrets_.add_listener(tell);
}

void ConfigObjects::start() {
  tasks_.spawn("watch config maps", config_maps_.run());
  tasks_.spawn("watch secrets", secrets_.run());
}

awaitable<void> ConfigObjects::wait_synced() {
  co_await config_maps_.wait_synced();
  co_await secrets_.wait_synced();
}

ObjectPtr ConfigObjects::find(ConfigKind kind, const Key& key) const {
  const auto& objects =
      kind == ConfigKind::kConfigMap ? config_maps_.objects() : secrets_.objects();
  const auto found = objects.find(key);
  return found == objects.end() ? nullptr : found->second.get();
}

}  // namespace trainyard::node
