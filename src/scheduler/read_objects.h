#pragma once

#include "scheduler/plan/views.h"

#include <functional>
#include <map>
#include <string>

namespace trainyard::scheduler {

/// The annotation by which a pod names its PodGroup.
inline constexpr const char* kGroupAnnotation = "scheduling.k8s.io/group-name";

/// Turns objects of the API into what placing looks at. Pods that ask for the same share one Needs.
class ObjectReader {
 public:
  explicit ObjectReader(ResourceNames& resources) : resources_(resources) {}

  NodeView read_node(const Json& node);
  PodView read_pod(const ObjectPtr& pod);
  /// Priorities of the classes that PodGroups name.
  using PriorityOf = std::function<std::optional<std::int64_t>(const std::string& name)>;
  static GroupView read_group(const Json& group, const PriorityOf& priority_of);

 private:
  NeedsPtr needs_of(const Json& pod);

  ResourceNames& resources_;
  std::map<std::string, std::weak_ptr<const Needs>> kinds_;  // by the text of what they ask for
  std::size_t tidy_at_ = 1024;
};

}  // namespace trainyard::scheduler
