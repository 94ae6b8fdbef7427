#include "server/rules.h"

#include "object/quantity.h"
#include "server/job_rules.h"

#include <fmt/format.h>

#include <set>

namespace trainyard::server {
namespace {

using Errors = std::vector<FieldError>;

void set_default(Json& object, std::string_view path, Json value) {
  Json& target = make_path(object, path);
  if (target.is_null()) target = std::move(value);
}

void set_pod_defaults(Json& pod) {
  set_default(pod, "spec.restartPolicy", "Always");
  set_default(pod, "spec.terminationGracePeriodSeconds", 30);
  set_default(pod, "spec.serviceAccountName", "default");
  set_default(pod, "spec.schedulerName", "default-scheduler");
  make_path(pod, "status") = JsonObject{{"phase", "Pending"}};
}

/// Limits without requests are requests too, as Kubernetes has it.
void request_what_is_limited(Json& pod) {
  Json* containers = find(pod, "spec.containers");
  if (containers == nullptr || !containers->is_array()) return;
  for (Json& container : containers->get_array()) {
    const JsonObject limits = object_at(container, "resources.limits");
    for (const auto& limit : limits) {
      Json& requests = make_path(container, "resources.requests");
      if (!requests.is_object()) requests = JsonObject();
      if (!requests.get_object().contains(limit.key())) {
        requests.get_object()[limit.key()] = limit.value();
      }
    }
  }
}

void check_not_negative(const Json& container, const std::string& path, Errors& errors) {
  for (const char* list : {"requests", "limits"}) {
    for (const auto& entry : object_at(container, std::string("resources.") + list)) {
      const auto amount = Quantity::parse(entry.value());
      if (!amount || *amount >= Quantity()) continue;
      errors.push_back(
          {fmt::format("{}.resources.{}.{}", path, list, std::string_view(entry.key())),
           fmt::format("Invalid value: {}: must be greater than or equal to 0",
                       to_text(entry.value())),
           "FieldValueInvalid"});
    }
  }
}

void check_resources(const Json& container, const std::string& path, Errors& errors) {
  check_not_negative(container, path, errors);
  const JsonObject& limits = object_at(container, "resources.limits");
  for (const auto& request : object_at(container, "resources.requests")) {
    const Json* limit = limits.if_contains(request.key());
    if (limit == nullptr) continue;
    const auto wanted = Quantity::parse(request.value());
    const auto most = Quantity::parse(*limit);
    if (wanted && most && *wanted > *most) {
      errors.push_back(
          {fmt::format("{}.resources.requests.{}", path, std::string_view(request.key())),
           fmt::format("Invalid value: {}: must be less than or equal to the limit "
                       "of {}",
                       to_text(request.value()), to_text(*limit)),
           "FieldValueInvalid"});
    }
  }
}

void check_mounts(const Json& container, const std::string& path,
                  const std::set<std::string>& volumes, Errors& errors) {
  std::size_t index = 0;
  for (const Json& mount : array_at(container, "volumeMounts")) {
    const std::string mount_path = fmt::format("{}.volumeMounts[{}]", path, index++);
    const std::string name(string_at(mount, "name"));
    if (!volumes.contains(name)) {
      errors.push_back({mount_path + ".name",
                        fmt::format("Not found: \"{}\": no volume of the pod has this name", name),
                        "FieldValueNotFound"});
    }
    if (!string_at(mount, "mountPath").starts_with('/')) {
      errors.push_back({mount_path + ".mountPath",
                        fmt::format("Invalid value: \"{}\": must be an absolute path",
                                    string_at(mount, "mountPath")),
                        "FieldValueInvalid"});
    }
  }
}

void check_pod_spec(const Json& spec, const std::string& path, Errors& errors) {
  std::set<std::string> volumes;
  for (const Json& volume : array_at(spec, "volumes")) {
    volumes.emplace(string_at(volume, "name"));
  }
  std::set<std::string> names;
  for (const char* list : {"initContainers", "containers"}) {
    std::size_t index = 0;
    for (const Json& container : array_at(spec, list)) {
      const std::string container_path = fmt::format("{}.{}[{}]", path, list, index++);
      if (!names.emplace(string_at(container, "name")).second) {
        errors.push_back({container_path + ".name",
                          fmt::format("Duplicate value: \"{}\"", string_at(container, "name")),
                          "FieldValueDuplicate"});
      }
      check_resources(container, container_path, errors);
      check_mounts(container, container_path, volumes, errors);
    }
  }
}

}  // namespace

void set_built_in_defaults(const Kind& kind, Json& object) {
  if (kind.resource == kPods) {
    set_pod_defaults(object);
    request_what_is_limited(object);
  } else if (kind.resource == kNamespaces) {
    make_path(object, "status") = JsonObject{{"phase", "Active"}};
  } else if (kind.resource == kVolumeClaims) {
    make_path(object, "status") = JsonObject{{"phase", "Pending"}};
  }
}

Errors check_rules(const Kind& kind, const Json& object) {
  Errors errors = check_job_rules(kind, object, check_pod_spec);
  if (kind.resource == kPods) check_pod_spec(*find(object, "spec"), "spec", errors);
  return errors;
}

Errors check_immutable(const Kind& kind, const Json& before, const Json& after) {
  Errors errors = check_job_update(kind, before, after);
  if (kind.resource == kPods && object_at(before, "spec") != object_at(after, "spec")) {
    errors.push_back({"spec",
                      "Forbidden: a pod's spec cannot be changed once it exists: delete the pod "
                      "and create it anew",
                      "FieldValueForbidden"});
  }
  return errors;
}

}  // namespace trainyard::server
