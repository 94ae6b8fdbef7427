#pragma once

#include "base/task_group.h"
#include "client/watching/informer.h"

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trainyard::workloads {

inline const Resource kCustomResourceDefinitions{"apiextensions.k8s.io", "v1",
                                                 "customresourcedefinitions"};

struct ServedKind {
  Resource resource;
  std::string kind;
  bool namespaced = true;
};

/// The kinds that the API serves now: those built in, and those of CustomResourceDefinitions, which
/// come and go while we run. Of a kind with several versions there is one, since the objects are
/// the same. Events are left out: they belong to nobody, and expire.
class ServedKinds {
 public:
  /// Definitions are followed when the API serves them, that is when they are among `built_in`.
  ServedKinds(Executor loop, client::Api& api, Clock& clock,
              const std::vector<ServedKind>& built_in);

  /// Before start().
  void on_change(std::function<void()> listener) { listeners_.push_back(std::move(listener)); }
  void start();
  awaitable<void> stop();

  std::vector<ServedKind> all() const;
  /// By the group of an apiVersion and the kind, as owner references name it; nullptr when there is
  /// no such kind.
  const ServedKind* find(std::string_view api_version, std::string_view kind) const;
  /// With the version in which it is served; nullptr when there is no such kind.
  const Resource* find_resource(const Resource& without_version) const;
  /// Whatever the version.
  bool serves(const Resource& resource) const;

 private:
  using Id = std::pair<std::string, std::string>;  // group and plural

  void add(ServedKind kind);
  void follow(const ObjectPtr& definition, bool deleted);

  std::map<Id, ServedKind> kinds_;
  std::map<Id, Id> by_kind_;  // group and kind → group and plural
  std::vector<std::function<void()>> listeners_;
  client::Informer definitions_;
  TaskGroup tasks_;
};

/// The group of an apiVersion: "apps/v1" → "apps", "v1" → "".
std::string group_of(std::string_view api_version);

}  // namespace trainyard::workloads
