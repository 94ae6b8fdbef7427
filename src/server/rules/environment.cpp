#include "object/values/names.h"
#include "server/rules/containers.h"

#include <algorithm>
#include <array>

namespace trainyard::server {
namespace {

constexpr const char* kOnlyOne = "may not have more than one field specified at a time";

/// Since Kubernetes 1.32 all that a shell can hold is a name.
bool is_variable_name(std::string_view name) {
  return std::all_of(name.begin(), name.end(),
                     [](char c) { return c >= ' ' && c <= '~' && c != '='; });
}

void check_variable_name(std::string_view name, const std::string& path, Errors& errors) {
  if (is_variable_name(name)) return;
  errors.push_back(field_errors::invalid(
      path, Json(name),
      "a valid environment variable name must consist only of printable ASCII characters other "
      "than '='"));
}

void check_field_ref(const Json& reference, const std::string& path, Errors& errors) {
  static const std::vector<std::string> kFields{"metadata.name",
                                                "metadata.namespace",
                                                "metadata.uid",
                                                "spec.nodeName",
                                                "spec.serviceAccountName",
                                                "status.hostIP",
                                                "status.hostIPs",
                                                "status.podIP",
                                                "status.podIPs"};
  const std::string_view field = string_at(reference, "fieldPath");
  if (field.empty()) {
    errors.push_back(field_errors::required(path + ".fieldPath"));
    return;
  }
  const bool of_map =
      (field.starts_with("metadata.labels['") || field.starts_with("metadata.annotations['")) &&
      field.ends_with("']");
  if (of_map || std::find(kFields.begin(), kFields.end(), field) != kFields.end()) return;
  errors.push_back(field_errors::not_supported(path + ".fieldPath", Json(field), kFields));
}

void check_resource_ref(const Json& reference, const std::string& path, Errors& errors) {
  const std::string_view resource = string_at(reference, "resource");
  if (resource.empty()) {
    errors.push_back(field_errors::required(path + ".resource"));
    return;
  }
  for (const char* known : {"limits.cpu", "limits.ephemeral-storage", "limits.memory",
                            "requests.cpu", "requests.ephemeral-storage", "requests.memory"}) {
    if (resource == known) return;
  }
  if (resource.find("hugepages-") != std::string_view::npos) return;
  errors.push_back(field_errors::not_supported(
      path + ".resource", Json(resource),
      {"limits.cpu", "limits.ephemeral-storage", "limits.memory", "requests.cpu",
       "requests.ephemeral-storage", "requests.memory"}));
}

void check_key_ref(const Json& reference, const std::string& path, Errors& errors) {
  const std::string_view name = string_at(reference, "name");
  add_problems(subdomain_problems(name), path + ".name", name, errors);
  const std::string_view key = string_at(reference, "key");
  if (key.empty()) {
    errors.push_back(field_errors::required(path + ".key"));
  } else {
    add_problems(config_key_problems(key), path + ".key", key, errors);
  }
}

void check_source(const Json& variable, const std::string& path, Errors& errors) {
  const Json* source = find(variable, "valueFrom");
  if (source == nullptr) return;
  using Check = void (*)(const Json&, const std::string&, Errors&);
  static constexpr std::array<std::pair<std::string_view, Check>, 4> kChecks{
      {{"fieldRef", check_field_ref},
       {"resourceFieldRef", check_resource_ref},
       {"configMapKeyRef", check_key_ref},
       {"secretKeyRef", check_key_ref}}};
  std::size_t sources = 0;
  for (const auto& [name, check] : kChecks) {
    if (const Json* reference = find(*source, name)) {
      ++sources;
      check(*reference, fmt::format("{}.{}", path, name), errors);
    }
  }
  const Json nothing("");
  if (sources == 0) {
    errors.push_back(field_errors::invalid(path, nothing,
                                           "must specify one of: `fieldRef`, `resourceFieldRef`, "
                                           "`configMapKeyRef` or `secretKeyRef`"));
  } else if (!string_at(variable, "value").empty()) {
    errors.push_back(
        field_errors::invalid(path, nothing, "may not be specified when `value` is not empty"));
  } else if (sources > 1) {
    errors.push_back(field_errors::invalid(path, nothing, kOnlyOne));
  }
}

void check_import(const Json& source, const std::string& path, Errors& errors) {
  check_variable_name(string_at(source, "prefix"), path + ".prefix", errors);
  std::size_t sources = 0;
  for (const char* kind : {"configMapRef", "secretRef"}) {
    const Json* reference = find(source, kind);
    if (reference == nullptr) continue;
    ++sources;
    const std::string_view name = string_at(*reference, "name");
    const std::string name_path = fmt::format("{}.{}.name", path, kind);
    if (name.empty()) {
      errors.push_back(field_errors::required(name_path));
    } else {
      add_problems(subdomain_problems(name), name_path, name, errors);
    }
  }
  if (sources == 0) {
    errors.push_back(field_errors::invalid(path, Json(""),
                                           "must specify one of: `configMapRef` or `secretRef`"));
  } else if (sources > 1) {
    errors.push_back(field_errors::invalid(path, Json(""), kOnlyOne));
  }
}

}  // namespace

void check_environment(const Json& container, const std::string& path, Errors& errors) {
  std::size_t index = 0;
  for (const Json& variable : array_at(container, "env")) {
    const std::string here = at(path + ".env", index++);
    const std::string_view name = string_at(variable, "name");
    if (name.empty()) {
      errors.push_back(field_errors::required(here + ".name"));
    } else {
      check_variable_name(name, here + ".name", errors);
    }
    check_source(variable, here + ".valueFrom", errors);
  }
  index = 0;
  for (const Json& source : array_at(container, "envFrom")) {
    check_import(source, at(path + ".envFrom", index++), errors);
  }
}

}  // namespace trainyard::server
