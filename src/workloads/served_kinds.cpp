#include "workloads/served_kinds.h"

#include "object/values/status.h"

namespace trainyard::workloads {
namespace {

ServedKind read_definition(const Json& definition) {
  ServedKind kind;
  kind.resource.group = string_at(definition, "spec.group");
  kind.resource.plural = string_at(definition, "spec.names.plural");
  kind.kind = string_at(definition, "spec.names.kind");
  kind.namespaced = string_at(definition, "spec.scope") != "Cluster";
  for (const Json& version : array_at(definition, "spec.versions")) {
    if (bool_at(version, "storage")) kind.resource.version = string_at(version, "name");
  }
  return kind;
}

}  // namespace

std::string group_of(std::string_view api_version) {
  const std::size_t slash = api_version.find('/');
  return slash == std::string_view::npos ? "" : std::string(api_version.substr(0, slash));
}

ServedKinds::ServedKinds(Executor loop, client::Api& api, Clock& clock,
                         const std::vector<ServedKind>& built_in)
    : definitions_(loop, api, clock, kCustomResourceDefinitions), tasks_(loop) {
  for (const ServedKind& kind : built_in) add(kind);
  definitions_.add_listener(
      [this](const ObjectPtr& definition, bool deleted) { follow(definition, deleted); });
}

void ServedKinds::start() {
  if (serves(kCustomResourceDefinitions)) {
    tasks_.spawn("watch custom resource definitions", definitions_.run());
  }
  for (const auto& listener : listeners_) listener();
}

awaitable<void> ServedKinds::stop() {
  return tasks_.stop();
}

void ServedKinds::add(ServedKind kind) {
  if (kind.kind == "Event") return;
  const Id id{kind.resource.group, kind.resource.plural};
  by_kind_.try_emplace({id.first, kind.kind}, id);
  kinds_.try_emplace(id, std::move(kind));
}

void ServedKinds::follow(const ObjectPtr& definition, bool deleted) {
  ServedKind kind = read_definition(definition->body());
  const Id id{kind.resource.group, kind.resource.plural};
  const auto known = kinds_.find(id);
  const bool served = !deleted && has_condition(definition->body(), "Established");
  if (served && known != kinds_.end() && known->second.resource == kind.resource) return;
  if (!served && known == kinds_.end()) return;
  kinds_.erase(id);
  by_kind_.erase({id.first, kind.kind});
  if (served) add(std::move(kind));
  for (const auto& listener : listeners_) listener();
}

std::vector<ServedKind> ServedKinds::all() const {
  std::vector<ServedKind> kinds;
  for (const auto& [id, kind] : kinds_) kinds.push_back(kind);
  return kinds;
}

const ServedKind* ServedKinds::find(std::string_view api_version, std::string_view kind) const {
  const auto id = by_kind_.find({group_of(api_version), std::string(kind)});
  return id == by_kind_.end() ? nullptr : &kinds_.at(id->second);
}

const Resource* ServedKinds::find_resource(const Resource& without_version) const {
  const auto found = kinds_.find({without_version.group, without_version.plural});
  return found == kinds_.end() ? nullptr : &found->second.resource;
}

bool ServedKinds::serves(const Resource& resource) const {
  return kinds_.contains({resource.group, resource.plural});
}

}  // namespace trainyard::workloads
