// Whether a schema is structural: its skeleton says the type of every value, and allOf, anyOf,
// oneOf and not only add rules to values that the skeleton knows.
#include "object/schema/definition_schema.h"
#include "object/values/field_errors.h"
#include "object/values/pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace trainyard::definition_schema {
namespace {

namespace fe = field_errors;

enum class Level : std::uint8_t { kRoot, kItem, kField };

/// Uses what structural schemas do not have at all; check_keywords() tells of it.
bool is_beyond(const Json& schema) {
  for (const std::string_view keyword : {"id", "$schema", "$ref", "patternProperties",
                                         "dependencies", "additionalItems", "definitions"}) {
    const Json* value = given(schema, keyword);
    const bool empty = value != nullptr && value->is_string() && value->get_string().empty();
    if (value != nullptr && !empty) return true;
  }
  const Json* kept = given(schema, "x-kubernetes-preserve-unknown-fields");
  if (kept != nullptr && !kept->get_bool()) return true;
  const Json* items = given(schema, "items");
  if (items != nullptr && (items->is_array() || is_beyond(*items))) return true;
  const Json* additional = given(schema, "additionalProperties");
  if (additional != nullptr && additional->is_object() && is_beyond(*additional)) return true;
  if (const Json* refused = given(schema, "not"); refused != nullptr && is_beyond(*refused)) {
    return true;
  }
  for (const std::string_view keyword : {"allOf", "anyOf", "oneOf"}) {
    const JsonArray& parts = array_at(schema, keyword);
    if (std::any_of(parts.begin(), parts.end(), is_beyond)) return true;
  }
  const JsonObject& properties = object_at(schema, "properties");
  return std::any_of(properties.begin(), properties.end(),
                     [](const auto& member) { return is_beyond(member.value()); });
}

/// anyOf: [{type: integer}, {type: string}], the usual companion of x-kubernetes-int-or-string.
bool is_int_or_string(const Json& schema) {
  const JsonArray& parts = array_at(schema, "anyOf");
  const auto only_type = [](const Json& part, std::string_view type) {
    return part.get_object().size() == 1 && string_at(part, "type") == type;
  };
  return parts.size() == 2 && only_type(parts[0], "integer") && only_type(parts[1], "string");
}

class StructureCheck {
 public:
  explicit StructureCheck(Errors& errors) : errors_(errors) {}

  void check(const Json& schema, Level level, const FieldPath& path) {
    if (const Json* items = given(schema, "items")) {
      check(*items, Level::kItem, path.field("items"));
    } else if (string_at(schema, "type") == "array") {
      add(fe::required(path.field("items").text(), "must be specified"));
    }
    const FieldPath properties = path.field("properties");
    for (const auto& member : object_at(schema, "properties")) {
      check(member.value(), Level::kField, properties.key(member.key()));
    }
    if (const Json* additional = given(schema, "additionalProperties")) {
      const FieldPath at = path.field("additionalProperties");
      if (level == Level::kRoot) add(fe::forbidden(at.text(), "must not be used at the root"));
      if (additional->is_object()) check(*additional, Level::kField, at);
    }
    check_extensions(schema, path);
    check_type(schema, level, path);
    check_meta_properties(schema, level, path);
    check_rules(schema, is_int_or_string(schema), path);
  }

 private:
  void add(FieldError error) { errors_.push_back(std::move(error)); }

  void check_extensions(const Json& schema, const FieldPath& path) {
    if (!bool_at(schema, "x-kubernetes-int-or-string")) return;
    for (const std::string_view keyword :
         {"x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"}) {
      if (bool_at(schema, keyword)) {
        add(fe::invalid(path.field(keyword).text(), Json(true),
                        "must be false if x-kubernetes-int-or-string is true"));
      }
    }
  }

  void check_type(const Json& schema, Level level, const FieldPath& path) {
    const std::string_view type = string_at(schema, "type");
    const std::string field = path.field("type").text();
    const bool embedded = bool_at(schema, "x-kubernetes-embedded-resource");
    if (embedded && type != "object") {
      constexpr std::string_view kRule = "must be object if x-kubernetes-embedded-resource is true";
      add(type.empty() ? fe::required(field, kRule) : fe::invalid(field, Json(type), kRule));
    } else if (type.empty() && !bool_at(schema, "x-kubernetes-int-or-string") &&
               !bool_at(schema, "x-kubernetes-preserve-unknown-fields")) {
      const std::string_view where = level == Level::kRoot   ? "at the root"
                                     : level == Level::kItem ? "for specified array items"
                                                             : "for specified object fields";
      add(fe::required(field, fmt::format("must not be empty {}", where)));
    }
    if (level == Level::kRoot && !type.empty() && type != "object") {
      add(fe::invalid(field, Json(type), "must be object at the root"));
    }
    if (!embedded) return;
    if (given(schema, "additionalProperties") != nullptr) {
      add(fe::forbidden(path.field("additionalProperties").text(),
                        "must not be used if x-kubernetes-embedded-resource is set"));
    }
    if (!bool_at(schema, "x-kubernetes-preserve-unknown-fields") &&
        object_at(schema, "properties").empty()) {
      add(fe::required(path.field("properties").text(),
                       "must not be empty if x-kubernetes-embedded-resource is true without "
                       "x-kubernetes-preserve-unknown-fields"));
    }
  }

  /// apiVersion, kind and metadata of an object are what they are in every object.
  void check_meta_properties(const Json& schema, Level level, const FieldPath& path) {
    const bool whole = level == Level::kRoot || bool_at(schema, "x-kubernetes-embedded-resource");
    const FieldPath properties = path.field("properties");
    for (const std::string_view name : {"kind", "apiVersion"}) {
      const JsonObject& all = object_at(schema, "properties");
      const Json* property = all.if_contains(name);
      if (!whole || property == nullptr || string_at(*property, "type") == "string") continue;
      add(fe::invalid(properties.key(name).field("type").text(), Json(string_at(*property, "type")),
                      "must be string"));
    }
    const Json* metadata = object_at(schema, "properties").if_contains("metadata");
    if (metadata == nullptr) return;
    const FieldPath at = properties.key("metadata");
    if (whole && string_at(*metadata, "type") != "object") {
      add(fe::invalid(at.field("type").text(), Json(string_at(*metadata, "type")),
                      "must be object"));
    }
    if (level == Level::kRoot && !restricts_names_only(*metadata)) {
      add(fe::forbidden(at.text(),
                        "must not specify anything other than name and generateName, but metadata "
                        "is implicitly specified"));
    }
  }

  static bool restricts_names_only(const Json& metadata) {
    for (const auto& member : metadata.get_object()) {
      const std::string_view name(member.key());
      const bool apart = name == "type" || name == "default" || name == "example" ||
                         name == "externalDocs" || name == "properties";
      const bool says = !member.value().is_null() && member.value() != Json(false) &&
                        member.value() != Json("") && member.value() != Json(JsonArray());
      if (!apart && says) return false;
    }
    const JsonObject& properties = object_at(metadata, "properties");
    return std::all_of(properties.begin(), properties.end(), [](const auto& member) {
      return member.key() == "name" || member.key() == "generateName";
    });
  }

  /// Of a schema of the skeleton, or of one that is nested in allOf, anyOf, oneOf or not.
  void check_rules(const Json& schema, bool skip_any_of, const FieldPath& path) {
    const auto check_list = [&](std::string_view keyword) {
      const FieldPath list = path.field(keyword);
      std::size_t index = 0;
      for (const Json& part : array_at(schema, keyword)) {
        const bool first = index == 0 && keyword == "allOf";
        check_nested(part, first && is_int_or_string(part), list.index(index++));
      }
    };
    if (!skip_any_of) check_list("anyOf");
    check_list("allOf");
    check_list("oneOf");
    if (const Json* refused = given(schema, "not")) {
      check_nested(*refused, false, path.field("not"));
    }
    if (const std::string pattern(string_at(schema, "pattern")); !pattern.empty()) {
      if (const auto compiled = Pattern::compile(pattern); !compiled) {
        add(fe::invalid(
            path.field("pattern").text(), Json(pattern),
            "must be a valid regular expression, but isn't: " + compiled.error().message()));
      }
    }
  }

  void check_nested(const Json& schema, bool skip_any_of, const FieldPath& path) {
    check_rules(schema, skip_any_of, path);
    forbid_skeleton_keywords(schema, path);
    if (const Json* items = given(schema, "items")) {
      check_nested(*items, false, path.field("items"));
    }
    const FieldPath properties = path.field("properties");
    for (const auto& member : object_at(schema, "properties")) {
      const FieldPath at = properties.key(member.key());
      check_nested(member.value(), false, at);
      if (member.key() == "metadata") {
        add(fe::forbidden(at.text(), "must not be specified in a nested context"));
      }
    }
  }

  void forbid_skeleton_keywords(const Json& schema, const FieldPath& path) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 13> kForbidden{{
        {"type", "must be empty to be structural"},
        {"additionalProperties", "must be undefined to be structural"},
        {"default", "must be undefined to be structural"},
        {"title", "must be empty to be structural"},
        {"description", "must be empty to be structural"},
        {"nullable", "must be false to be structural"},
        {"x-kubernetes-preserve-unknown-fields", "must be false to be structural"},
        {"x-kubernetes-embedded-resource", "must be false to be structural"},
        {"x-kubernetes-int-or-string", "must be false to be structural"},
        {"x-kubernetes-list-map-keys", "must be empty to be structural"},
        {"x-kubernetes-list-type", "must be undefined to be structural"},
        {"x-kubernetes-map-type", "must be undefined to be structural"},
        {"x-kubernetes-validations", "must be empty to be structural"},
    }};
    for (const auto& [keyword, rule] : kForbidden) {
      const Json* value = given(schema, keyword);
      if (value == nullptr || (*value == Json(false) && keyword != "default")) continue;
      const bool may_be_empty = rule.starts_with("must be empty");
      if (may_be_empty && (*value == Json("") || *value == Json(JsonArray()))) continue;
      add(fe::forbidden(path.field(keyword).text(), rule));
    }
  }

  Errors& errors_;
};

/// Whether the skeleton knows everything that nested rules speak of.
class CompletenessCheck {
 public:
  explicit CompletenessCheck(Errors& errors) : errors_(errors) {}

  void check(const Json& rules, const Json* skeleton, const FieldPath& path,
             const FieldPath& skeleton_path) {
    if (skeleton == nullptr) {
      errors_.push_back(fe::required(skeleton_path.text(),
                                     fmt::format("because it is defined in {}", path.text())));
      return;
    }
    check_combinations(rules, *skeleton, path, skeleton_path);
    if (const Json* items = given(rules, "items")) {
      check(*items, given(*skeleton, "items"), path.field("items"), skeleton_path.field("items"));
    }
    const FieldPath properties = path.field("properties");
    const FieldPath known = skeleton_path.field("properties");
    for (const auto& member : object_at(rules, "properties")) {
      check(member.value(), object_at(*skeleton, "properties").if_contains(member.key()),
            properties.key(member.key()), known.key(member.key()));
    }
  }

  void check_combinations(const Json& rules, const Json& skeleton, const FieldPath& path,
                          const FieldPath& skeleton_path) {
    for (const std::string_view keyword : {"allOf", "anyOf", "oneOf"}) {
      const FieldPath list = path.field(keyword);
      std::size_t index = 0;
      for (const Json& part : array_at(rules, keyword)) {
        check(part, &skeleton, list.index(index++), skeleton_path);
      }
    }
    if (const Json* refused = given(rules, "not")) {
      check(*refused, &skeleton, path.field("not"), skeleton_path);
    }
  }

 private:
  Errors& errors_;
};

}  // namespace

bool check_structure(const Json& schema, const FieldPath& path, Errors& errors) {
  if (is_beyond(schema)) return false;
  const std::size_t before = errors.size();
  StructureCheck(errors).check(schema, Level::kRoot, path);
  // As in kube-apiserver, only of the rules at the root.
  CompletenessCheck(errors).check_combinations(schema, schema, path, path);
  return errors.size() == before;
}

}  // namespace trainyard::definition_schema
