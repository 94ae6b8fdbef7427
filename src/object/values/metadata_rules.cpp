#include "object/values/metadata_rules.h"

#include "base/words/text.h"
#include "object/values/field_errors.h"
#include "object/values/formats.h"
#include "object/values/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

namespace trainyard {
namespace {

using Errors = std::vector<FieldError>;

constexpr std::int64_t kMostAnnotationBytes = 256 << 10;

enum class Type : std::uint8_t { kString, kTime, kInteger, kBoolean, kStrings, kMap, kList, kAny };

struct Field {
  std::string_view name;
  Type type;
};

constexpr std::array<Field, 15> kMetadata{{
    {"name", Type::kString},
    {"generateName", Type::kString},
    {"namespace", Type::kString},
    {"selfLink", Type::kString},
    {"uid", Type::kString},
    {"resourceVersion", Type::kString},
    {"generation", Type::kInteger},
    {"creationTimestamp", Type::kTime},
    {"deletionTimestamp", Type::kTime},
    {"deletionGracePeriodSeconds", Type::kInteger},
    {"labels", Type::kMap},
    {"annotations", Type::kMap},
    {"ownerReferences", Type::kList},
    {"finalizers", Type::kStrings},
    {"managedFields", Type::kList},
}};

constexpr std::array<Field, 6> kOwner{{
    {"apiVersion", Type::kString},
    {"kind", Type::kString},
    {"name", Type::kString},
    {"uid", Type::kString},
    {"controller", Type::kBoolean},
    {"blockOwnerDeletion", Type::kBoolean},
}};

constexpr std::array<Field, 7> kManagedFields{{
    {"manager", Type::kString},
    {"operation", Type::kString},
    {"apiVersion", Type::kString},
    {"time", Type::kTime},
    {"fieldsType", Type::kString},
    {"fieldsV1", Type::kAny},
    {"subresource", Type::kString},
}};

template <class Key>
std::string_view name_of_key(const Key& key) {
  return {key.data(), key.size()};
}

const Field* find_field(std::span<const Field> fields, std::string_view name) {
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [&](const Field& field) { return field.name == name; });
  return found == fields.end() ? nullptr : &*found;
}

void add_wrong_type(const FieldPath& path, std::string_view expected, const Json& value,
                    Errors& errors) {
  errors.push_back(
      field_errors::wrong_type(path.dotted_text(), expected, field_errors::type_name(value)));
}

bool check_plain(const Json& value, bool fits, std::string_view expected, const FieldPath& path,
                 Errors& errors) {
  if (!fits) add_wrong_type(path, expected, value, errors);
  return fits;
}

bool check_strings(const Json& value, const FieldPath& path, Errors& errors) {
  bool good = check_plain(value, value.is_array(), "array", path, errors);
  if (!good) return false;
  std::size_t index = 0;
  for (const Json& element : value.get_array()) {
    good = check_plain(element, element.is_string(), "string", path.index(index++), errors) && good;
  }
  return good;
}

bool check_map(const Json& value, const FieldPath& path, Errors& errors) {
  bool good = check_plain(value, value.is_object(), "object", path, errors);
  if (!good) return false;
  for (const auto& entry : value.get_object()) {
    good = check_plain(entry.value(), entry.value().is_string(), "string",
                       path.field(name_of_key(entry.key())), errors) &&
           good;
  }
  return good;
}

bool check_time(const Json& value, const FieldPath& path, Errors& errors) {
  if (!check_plain(value, value.is_string(), "string", path, errors)) return false;
  if (formats::is_date_time(view(value.get_string()))) return true;
  const std::string field = path.text();
  errors.push_back(field_errors::type_invalid(
      field, value,
      fmt::format("{} in body must be of type date-time: {}", field, to_text(value))));
  return false;
}

bool check_type(const Json& value, Type type, const FieldPath& path, Errors& errors) {
  if (value.is_null()) return true;  // as if it were not there
  switch (type) {
    case Type::kString:
      return check_plain(value, value.is_string(), "string", path, errors);
    case Type::kInteger:
      return check_plain(value, value.is_int64(), "integer", path, errors);
    case Type::kBoolean:
      return check_plain(value, value.is_bool(), "boolean", path, errors);
    case Type::kList:
      return check_plain(value, value.is_array(), "array", path, errors);
    case Type::kTime:
      return check_time(value, path, errors);
    case Type::kStrings:
      return check_strings(value, path, errors);
    case Type::kMap:
      return check_map(value, path, errors);
    case Type::kAny:
      return true;
  }
  return true;
}

/// The types of an object's fields. Unknown fields are not its business: prune_metadata removes
/// them.
bool check_fields(const Json& value, std::span<const Field> fields, const FieldPath& path,
                  Errors& errors) {
  if (!check_plain(value, value.is_object(), "object", path, errors)) return false;
  bool good = true;
  for (const auto& member : value.get_object()) {
    const std::string_view name = name_of_key(member.key());
    if (const Field* field = find_field(fields, name)) {
      good = check_type(member.value(), field->type, path.field(name), errors) && good;
    }
  }
  return good;
}

void add_all(const std::vector<std::string>& problems, const FieldPath& path,
             std::string_view value, Errors& errors) {
  for (const std::string& problem : problems) {
    errors.push_back(field_errors::invalid(path.text(), Json(value), problem));
  }
}

void check_labels(const JsonObject& labels, const FieldPath& path, Errors& errors) {
  for (const auto& label : labels) {
    const std::string_view key = name_of_key(label.key());
    const std::string_view value = view(label.value().get_string());
    add_all(qualified_name_problems(key), path, key, errors);
    add_all(label_value_problems(value), path, value, errors);
  }
}

void check_annotations(const JsonObject& annotations, const FieldPath& path, Errors& errors) {
  std::size_t bytes = 0;
  for (const auto& annotation : annotations) {
    const std::string_view key = name_of_key(annotation.key());
    // Upper case does not matter here, not even before the slash.
    if (!qualified_name_problems(key).empty()) {
      add_all(qualified_name_problems(lower(key)), path, key, errors);
    }
    bytes += key.size() + annotation.value().get_string().size();
  }
  if (bytes > static_cast<std::size_t>(kMostAnnotationBytes)) {
    errors.push_back(field_errors::too_long(path.text(), kMostAnnotationBytes));
  }
}

void check_owner(const Json& owner, const FieldPath& path, Errors& errors) {
  const std::string_view api_version = string_at(owner, "apiVersion");
  const auto slashes = std::count(api_version.begin(), api_version.end(), '/');
  if (api_version.empty() || slashes > 1 || api_version.ends_with('/')) {
    errors.push_back(field_errors::invalid(path.field("apiVersion").text(), Json(api_version),
                                           "version must not be empty"));
  }
  for (const std::string_view name : {"kind", "name", "uid"}) {
    if (string_at(owner, name).empty()) {
      errors.push_back(field_errors::invalid(path.field(name).text(), Json(""),
                                             fmt::format("{} must not be empty", name)));
    }
  }
  if (api_version == "v1" && string_at(owner, "kind") == "Event") {
    errors.push_back(field_errors::invalid(path.text(), owner,
                                           "/v1, Kind=Event is disallowed from being an owner"));
  }
}

/// As in kube-apiserver, the path is that of the list.
void check_owners(const JsonArray& owners, const FieldPath& path, Errors& errors) {
  const Json* controller = nullptr;
  std::size_t index = 0;
  for (const Json& owner : owners) {
    if (!check_fields(owner, kOwner, path.index(index++), errors)) continue;
    check_owner(owner, path, errors);
    if (!bool_at(owner, "controller")) continue;
    if (controller != nullptr) {
      errors.push_back(field_errors::invalid(
          path.text(), Json(owners),
          fmt::format("Only one reference can have Controller set to true. Found \"true\" in "
                      "references for {}/{} and {}/{}",
                      string_at(*controller, "kind"), string_at(*controller, "name"),
                      string_at(owner, "kind"), string_at(owner, "name"))));
    } else {
      controller = &owner;
    }
  }
}

void check_finalizers(const JsonArray& finalizers, const FieldPath& path, Errors& errors) {
  bool orphan = false;
  bool foreground = false;
  for (const Json& finalizer : finalizers) {
    const std::string_view name = view(finalizer.get_string());
    add_all(qualified_name_problems(name), path, name, errors);
    orphan = orphan || name == "orphan";
    foreground = foreground || name == "foregroundDeletion";
  }
  if (orphan && foreground) {
    errors.push_back(
        field_errors::invalid(path.text(), Json(finalizers),
                              "finalizer orphan and foregroundDeletion cannot be both set"));
  }
}

void check_managed_fields(const JsonArray& entries, const FieldPath& path, Errors& errors) {
  constexpr std::size_t kLongestManager = 128;
  constexpr std::size_t kLongestSubresource = 256;
  std::size_t index = 0;
  for (const Json& entry : entries) {
    const FieldPath at = path.index(index++);
    if (!check_fields(entry, kManagedFields, at, errors)) continue;
    const std::string_view operation = string_at(entry, "operation");
    if (operation != "Apply" && operation != "Update") {
      errors.push_back(field_errors::invalid(at.field("operation").text(), Json(operation),
                                             "must be `Apply` or `Update`"));
    }
    const std::string_view type = string_at(entry, "fieldsType");
    if (!type.empty() && type != "FieldsV1") {
      errors.push_back(
          field_errors::invalid(at.field("fieldsType").text(), Json(type), "must be `FieldsV1`"));
    }
    if (string_at(entry, "manager").size() > kLongestManager) {
      errors.push_back(field_errors::too_long(at.field("manager").text(), kLongestManager));
    }
    if (string_at(entry, "subresource").size() > kLongestSubresource) {
      errors.push_back(field_errors::too_long(at.field("subresource").text(), kLongestSubresource));
    }
  }
}

/// Takes out the members that are null or not among the fields.
void prune_fields(Json& value, std::span<const Field> fields, const FieldPath& path,
                  std::vector<std::string>& removed) {
  if (!value.is_object()) return;
  JsonObject& object = value.get_object();
  for (std::size_t i = 0; i < object.size();) {
    const auto member = object.begin() + static_cast<std::ptrdiff_t>(i);
    const std::string_view name = name_of_key(member->key());
    const bool known = find_field(fields, name) != nullptr;
    if (known && !member->value().is_null()) {
      ++i;
      continue;
    }
    if (!known) removed.push_back(path.field(name).dotted_text());
    object.stable_erase(member);
  }
}

void prune_list(Json& metadata, std::string_view name, std::span<const Field> fields,
                const FieldPath& path, std::vector<std::string>& removed) {
  Json* list = find(metadata, name);
  if (list == nullptr || !list->is_array()) return;
  const FieldPath at = path.field(name);
  std::size_t index = 0;
  for (Json& element : list->get_array()) prune_fields(element, fields, at.index(index++), removed);
}

}  // namespace

std::vector<FieldError> check_metadata(const Json& object) {
  std::vector<FieldError> errors;
  if (const Json* metadata = find(object, "metadata")) {
    const FieldPath root;
    check_metadata(*metadata, root.field("metadata"), errors);
  }
  return errors;
}

void check_metadata(const Json& metadata, const FieldPath& path, std::vector<FieldError>& errors) {
  // What follows relies on the types.
  if (!check_fields(metadata, kMetadata, path, errors)) return;
  if (int_at(metadata, "generation") < 0) {
    errors.push_back(field_errors::invalid(path.field("generation").text(),
                                           *find(metadata, "generation"),
                                           "must be greater than or equal to 0"));
  }
  check_labels(object_at(metadata, "labels"), path.field("labels"), errors);
  check_annotations(object_at(metadata, "annotations"), path.field("annotations"), errors);
  check_owners(array_at(metadata, "ownerReferences"), path.field("ownerReferences"), errors);
  check_finalizers(array_at(metadata, "finalizers"), path.field("finalizers"), errors);
  check_managed_fields(array_at(metadata, "managedFields"), path.field("managedFields"), errors);
}

void prune_metadata(Json& metadata, const FieldPath& path, std::vector<std::string>& removed) {
  prune_fields(metadata, kMetadata, path, removed);
  for (const std::string_view name : {"labels", "annotations"}) {
    Json* map = find(metadata, name);
    if (map == nullptr || !map->is_object()) continue;
    for (auto& entry : map->get_object()) {
      if (entry.value().is_null()) entry.value() = "";
    }
  }
  prune_list(metadata, "ownerReferences", kOwner, path, removed);
  prune_list(metadata, "managedFields", kManagedFields, path, removed);
}

}  // namespace trainyard
