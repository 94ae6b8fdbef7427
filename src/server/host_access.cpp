#include "server/host_access.h"

#include "server/status.h"

#include <fmt/format.h>

namespace trainyard::server {
namespace {

constexpr const char* kPathAnnotation = "trainyard.dev/path";

/// Which field of a pod's spec, anywhere in the object, reaches out; empty when none does.
std::string reaching_field(const Json& value) {
  if (value.is_array()) {
    for (const Json& element : value.get_array()) {
      if (std::string found = reaching_field(element); !found.empty()) return found;
    }
  }
  if (!value.is_object()) return "";
  if (find(value, "containers") != nullptr) {
    for (const char* field : {"hostPID", "hostIPC"}) {
      if (bool_at(value, field)) return field;
    }
    for (const Json& volume : array_at(value, "volumes")) {
      if (find(volume, "hostPath") != nullptr) return "volumes[].hostPath";
    }
  }
  for (const auto& member : value.get_object()) {
    if (member.key() == "status") continue;
    if (std::string found = reaching_field(member.value()); !found.empty()) return found;
  }
  return "";
}

/// A claim of a folder of the machine's; what was allowed to be made may go on.
bool takes_another_folder(const Json& claim, const Json* before) {
  const std::string_view path = annotation_of(claim, kPathAnnotation);
  return !path.empty() && (before == nullptr || annotation_of(*before, kPathAnnotation) != path);
}

}  // namespace

Result<> check_host_access(const Rbac& rbac, const User& user, const Kind& kind, const Json& object,
                           const Json* before) {
  std::string field = reaching_field(object);
  if (kind.resource == kVolumeClaims && takes_another_folder(object, before)) {
    field = fmt::format("metadata.annotations[{}]", kPathAnnotation);
  }
  if (field.empty() || rbac.may_do_everything(user)) return Ok();
  return forbidden_object(
      kind, std::string(name_of(object)),
      fmt::format("{} reaches out of the pod, which only a cluster-admin may ask for", field));
}

}  // namespace trainyard::server
