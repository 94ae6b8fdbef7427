#include "server/rules/volumes.h"

#include "object/values/names.h"
#include "object/values/quantity.h"

namespace trainyard::server {
namespace {

constexpr const char* kModeRule = "must be a number between 0 and 0777 (octal), both inclusive";

bool goes_up(std::string_view path) {
  while (!path.empty()) {
    const std::size_t slash = std::min(path.find('/'), path.size());
    if (path.substr(0, slash) == "..") return true;
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  return false;
}

void check_text(const Json& object, std::string_view field, const std::string& path,
                Errors& errors) {
  if (string_at(object, field).empty()) {
    errors.push_back(field_errors::required(fmt::format("{}.{}", path, field)));
  }
}

void check_mode(const Json& object, std::string_view field, const std::string& path,
                Errors& errors) {
  const Json* mode = find(object, field);
  if (mode == nullptr || !mode->is_int64()) return;
  if (mode->get_int64() >= 0 && mode->get_int64() <= 0777) return;
  errors.push_back(field_errors::invalid(fmt::format("{}.{}", path, field), *mode, kModeRule));
}

void check_items(const Json& source, const std::string& path, Errors& errors) {
  check_mode(source, "defaultMode", path, errors);
  std::size_t index = 0;
  for (const Json& item : array_at(source, "items")) {
    const std::string here = at(path + ".items", index++);
    check_text(item, "key", here, errors);
    check_text(item, "path", here, errors);
    check_inner_path(string_at(item, "path"), here + ".path", errors);
    check_mode(item, "mode", here, errors);
  }
}

void check_downward(const Json& source, const std::string& path, Errors& errors) {
  check_mode(source, "defaultMode", path, errors);
  std::size_t index = 0;
  for (const Json& item : array_at(source, "items")) {
    const std::string here = at(path + ".items", index++);
    check_text(item, "path", here, errors);
    check_inner_path(string_at(item, "path"), here + ".path", errors);
    check_mode(item, "mode", here, errors);
    const bool field = find(item, "fieldRef") != nullptr;
    const bool resource = find(item, "resourceFieldRef") != nullptr;
    if (field && resource) {
      errors.push_back(field_errors::invalid(here, Json("resource"),
                                             "fieldRef and resourceFieldRef can not be specified "
                                             "simultaneously"));
    } else if (!field && !resource) {
      errors.push_back(
          field_errors::required(here, "one of fieldRef and resourceFieldRef is required"));
    }
  }
}

void check_projected(const Json& source, const std::string& path, Errors& errors) {
  check_mode(source, "defaultMode", path, errors);
  std::size_t index = 0;
  for (const Json& projection : array_at(source, "sources")) {
    const std::string here = at(path + ".sources", index++);
    only_source(projection, {}, here, errors);
    for (const char* kind : {"secret", "configMap"}) {
      if (const Json* found = find(projection, kind)) {
        check_text(*found, "name", fmt::format("{}.{}", here, kind), errors);
        check_items(*found, fmt::format("{}.{}", here, kind), errors);
      }
    }
    if (const Json* found = find(projection, "downwardAPI")) {
      check_downward(*found, here + ".downwardAPI", errors);
    }
    if (const Json* token = find(projection, "serviceAccountToken")) {
      const std::string token_path = here + ".serviceAccountToken";
      check_text(*token, "path", token_path, errors);
      const std::int64_t seconds = int_at(*token, "expirationSeconds", 3600);
      if (seconds < 600) {
        errors.push_back(field_errors::invalid(token_path + ".expirationSeconds", Json(seconds),
                                               "may not specify a duration less than 10 minutes"));
      }
    }
  }
}

void check_host_path(const Json& source, const std::string& path, Errors& errors) {
  check_text(source, "path", path, errors);
  if (goes_up(string_at(source, "path"))) {
    errors.push_back(field_errors::invalid(path + ".path", Json(string_at(source, "path")),
                                           "must not contain '..'"));
  }
}

void check_nfs(const Json& source, const std::string& path, Errors& errors) {
  check_text(source, "server", path, errors);
  check_text(source, "path", path, errors);
  const std::string_view folder = string_at(source, "path");
  if (!folder.empty() && !folder.starts_with('/')) {
    errors.push_back(
        field_errors::invalid(path + ".path", Json(folder), "must be an absolute path"));
  }
}

void check_empty_dir(const Json& source, const std::string& path, Errors& errors) {
  const Json* limit = find(source, "sizeLimit");
  const auto amount = limit == nullptr ? Quantity() : Quantity::parse(*limit).value_or(Quantity());
  if (amount < Quantity()) {
    errors.push_back(field_errors::forbidden(path + ".sizeLimit",
                                             "SizeLimit field must be a valid resource quantity"));
  }
  const std::string_view medium = string_at(source, "medium");
  if (medium.empty() || medium == "Memory" || medium.starts_with("HugePages")) return;
  errors.push_back(
      field_errors::not_supported(path + ".medium", Json(medium), {"HugePages", "Memory"}));
}

void check_source(const Json& volume, const std::string& path, Errors& errors) {
  using Check = void (*)(const Json&, const std::string&, Errors&);
  static constexpr std::pair<std::string_view, Check> kChecks[] = {
      {"hostPath", check_host_path},
      {"emptyDir", check_empty_dir},
      {"nfs", check_nfs},
      {"secret",
       [](const Json& source, const std::string& here, Errors& found) {
         check_text(source, "secretName", here, found);
         check_items(source, here, found);
       }},
      {"configMap",
       [](const Json& source, const std::string& here, Errors& found) {
         check_text(source, "name", here, found);
         check_items(source, here, found);
       }},
      {"downwardAPI", check_downward},
      {"projected", check_projected},
      {"csi", [](const Json& source, const std::string& here,
                 Errors& found) { check_text(source, "driver", here, found); }},
      {"ephemeral",
       [](const Json& source, const std::string& here, Errors& found) {
         const Json* spec = find(source, "volumeClaimTemplate.spec");
         if (spec == nullptr) {
           found.push_back(field_errors::required(here + ".volumeClaimTemplate"));
         } else {
           check_claim_spec(*spec, here + ".volumeClaimTemplate.spec", found);
         }
       }},
  };
  for (const auto& [name, check] : kChecks) {
    if (const Json* source = find(volume, name)) {
      check(*source, fmt::format("{}.{}", path, name), errors);
    }
  }
}

}  // namespace

const Json* only_source(const Json& volume, const std::set<std::string_view>& others,
                        const std::string& path, Errors& errors) {
  const Json* source = nullptr;
  for (const auto& member : volume.get_object()) {
    if (others.contains(key_of_member(member))) continue;
    if (source != nullptr) {
      errors.push_back(field_errors::forbidden(fmt::format("{}.{}", path, key_of_member(member)),
                                               "may not specify more than 1 volume type"));
      return source;
    }
    source = &member.value();
  }
  return source;
}

void check_inner_path(std::string_view text, const std::string& path, Errors& errors) {
  if (text.starts_with('/')) {
    errors.push_back(field_errors::invalid(path, Json(text), "must be a relative path"));
  }
  if (goes_up(text)) {
    errors.push_back(field_errors::invalid(path, Json(text), "must not contain '..'"));
  }
}

std::set<std::string> check_volumes(const Json& spec, const std::string& path, Errors& errors) {
  std::set<std::string> names;
  std::size_t index = 0;
  for (const Json& volume : array_at(spec, "volumes")) {
    const std::string here = at(path + ".volumes", index++);
    const std::string name(string_at(volume, "name"));
    if (name.empty()) {
      errors.push_back(field_errors::required(here + ".name"));
    } else {
      add_problems(label_problems(name), here + ".name", name, errors);
      if (!names.insert(name).second) {
        errors.push_back(field_errors::duplicate(here + ".name", Json(name)));
      }
    }
    only_source(volume, {"name"}, here, errors);
    check_source(volume, here, errors);
  }
  return names;
}

void check_access_modes(const Json& spec, const std::string& path, Errors& errors) {
  static const std::vector<std::string> kModes{"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce",
                                               "ReadWriteOncePod"};
  const JsonArray& modes = array_at(spec, "accessModes");
  if (modes.empty()) {
    errors.push_back(field_errors::required(path, "at least 1 access mode is required"));
  }
  bool alone = false;
  for (const Json& mode : modes) {
    const bool known = mode.is_string() && std::find(kModes.begin(), kModes.end(),
                                                     view(mode.get_string())) != kModes.end();
    if (!known) errors.push_back(field_errors::not_supported(path, mode, kModes));
    alone = alone || mode == Json("ReadWriteOncePod");
  }
  if (alone && modes.size() > 1) {
    errors.push_back(
        field_errors::forbidden(path, "may not use ReadWriteOncePod with other access modes"));
  }
}

void check_claim_spec(const Json& spec, const std::string& path, Errors& errors) {
  check_access_modes(spec, path + ".accessModes", errors);
  if (const Json* selector = find(spec, "selector")) {
    check_label_selector(*selector, path + ".selector", errors);
  }
  const Json* storage = find(spec, "resources.requests.storage");
  if (storage == nullptr) {
    errors.push_back(field_errors::required(path + ".resources[storage]"));
  } else if (const auto amount = Quantity::parse(*storage); amount && *amount <= Quantity()) {
    errors.push_back(field_errors::invalid(path + ".resources[storage]",
                                           Json(canonical_quantity(*storage).value_or("")),
                                           "must be greater than zero"));
  }
  const std::string_view class_name = string_at(spec, "storageClassName");
  if (!class_name.empty()) {
    add_problems(subdomain_problems(class_name), path + ".storageClassName", class_name, errors);
  }
}

}  // namespace trainyard::server
