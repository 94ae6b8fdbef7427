#include "server/access/host_access.h"

#include "contract/capability_name.h"
#include "server/status.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::server {
namespace {

constexpr const char* kPathAnnotation = "trainyard.dev/path";

/// A field that only a cluster-admin may write, and what to do instead.
struct Reaching {
  std::string field;
  const char* remedy = "";
};

bool hears_the_network(const Json& container) {
  const JsonArray& added = array_at(container, "securityContext.capabilities.add");
  return std::any_of(added.begin(), added.end(), [](const Json& word) {
    return contract::capability_name(word) == contract::kRawNetwork;
  });
}

/// Of one pod's spec.
Reaching reaching_field_of(const Json& spec) {
  for (const char* field : {"hostPID", "hostIPC"}) {
    if (bool_at(spec, field)) return {field};
  }
  for (const Json& volume : array_at(spec, "volumes")) {
    if (find(volume, "hostPath") != nullptr) return {"volumes[].hostPath"};
  }
  for (const char* list : {"containers", "initContainers", "ephemeralContainers"}) {
    const JsonArray& containers = array_at(spec, list);
    if (!std::any_of(containers.begin(), containers.end(), hears_the_network)) continue;
    return {fmt::format("{}[].securityContext.capabilities.add: {}", list, contract::kRawNetwork),
            ": leave it out; a pod with the annotation trainyard.dev/network: private has it in a "
            "network of its own"};
  }
  return {};
}

/// Which field of a pod's spec, anywhere in the object, reaches out; empty when none does.
Reaching reaching_field(const Json& value) {
  if (value.is_array()) {
    for (const Json& element : value.get_array()) {
      if (Reaching found = reaching_field(element); !found.field.empty()) return found;
    }
  }
  if (!value.is_object()) return {};
  if (find(value, "containers") != nullptr || find(value, "ephemeralContainers") != nullptr) {
    if (Reaching found = reaching_field_of(value); !found.field.empty()) return found;
  }
  for (const auto& member : value.get_object()) {
    if (member.key() == "status") continue;
    if (Reaching found = reaching_field(member.value()); !found.field.empty()) return found;
  }
  return {};
}

/// A claim of a folder of the machine's; what was allowed to be made may go on.
bool takes_another_folder(const Json& claim, const Json* before) {
  const std::string_view path = annotation_of(claim, kPathAnnotation);
  return !path.empty() && (before == nullptr || annotation_of(*before, kPathAnnotation) != path);
}

}  // namespace

Result<> check_host_access(const Rbac& rbac, const User& user, const Kind& kind, const Json& object,
                           const Json* before) {
  Reaching found = reaching_field(object);
  if (kind.resource == kVolumeClaims && takes_another_folder(object, before)) {
    found = {fmt::format("metadata.annotations[{}]", kPathAnnotation)};
  }
  if (found.field.empty() || rbac.may_do_everything(user)) return Ok();
  return forbidden_object(
      kind, std::string(name_of(object)),
      fmt::format("{} reaches out of the pod, which only a cluster-admin may ask for{}",
                  found.field, found.remedy));
}

}  // namespace trainyard::server
