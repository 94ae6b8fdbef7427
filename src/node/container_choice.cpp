#include "node/container_choice.h"

#include "object/values/metadata.h"

#include <fmt/format.h>

namespace trainyard::node {

const Json* find_container(const Json& pod, std::string_view name) {
  for (const char* list : {"spec.containers", "spec.initContainers"}) {
    for (const Json& container : array_at(pod, list)) {
      if (string_at(container, "name") == name) return &container;
    }
  }
  return nullptr;
}

Result<std::string> choose_container(const Json& pod, const std::string& asked) {
  if (!asked.empty() && find_container(pod, asked) != nullptr) return asked;
  const JsonArray& containers = array_at(pod, "spec.containers");
  if (asked.empty() && containers.size() == 1) return std::string(string_at(containers[0], "name"));
  std::string names;
  for (const char* list : {"spec.containers", "spec.initContainers"}) {
    for (const Json& container : array_at(pod, list)) {
      names += (names.empty() ? "" : " ") + std::string(string_at(container, "name"));
    }
  }
  if (asked.empty()) {
    return Error(Code::kBadRequest,
                 fmt::format("a container name must be specified for pod {}, choose one of: [{}]",
                             name_of(pod), names));
  }
  return Error(Code::kBadRequest, fmt::format("container {} is not valid for pod {}: it has [{}]",
                                              asked, name_of(pod), names));
}

std::string waiting_reason(const Json& pod, std::string_view container) {
  for (const char* list : {"status.containerStatuses", "status.initContainerStatuses"}) {
    for (const Json& status : array_at(pod, list)) {
      if (string_at(status, "name") != container) continue;
      const std::string_view reason = string_at(status, "state.waiting.reason");
      return std::string(string_at(status, "state.waiting.message",
                                   reason.empty() ? "ContainerCreating" : reason));
    }
  }
  return "ContainerCreating";
}

}  // namespace trainyard::node
