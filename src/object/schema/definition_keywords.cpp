// Keywords of a CustomResourceDefinition's schema: which are not for it, and how they fit together.
#include "object/schema/definition_schema.h"
#include "object/values/field_errors.h"
#include "object/values/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

namespace trainyard::definition_schema {
namespace {

namespace fe = field_errors;

constexpr std::size_t kMostKeyErrors = 20;

/// Where in the object a schema is, as far as that matters for what it may say.
struct Place {
  bool root = false;
  bool inside_metadata = false;
  std::string no_defaults;  // why there must be none; empty: they are fine
};

bool is_meta_field(std::string_view name) {
  return name == "apiVersion" || name == "kind" || name == "metadata";
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n\v\f") == std::string_view::npos;
}

bool has_line_breaks(std::string_view text) {
  return text.find_first_of("\r\n") != std::string_view::npos;
}

class KeywordCheck {
 public:
  explicit KeywordCheck(Errors& errors) : errors_(errors) {}

  void check(const Json& schema, const Place& place, const FieldPath& path) {
    check_unsupported(schema, place, path);
    check_children(schema, place, path);
    check_map_type(schema, path);
    check_list_type(schema, path);
    check_list_keys(schema, path);
    check_validations(schema, path);
  }

 private:
  void add(FieldError error) { errors_.push_back(std::move(error)); }
  void forbid(const FieldPath& path, std::string_view keyword, std::string_view rule) {
    add(fe::forbidden(path.field(keyword).text(), rule));
  }

  void check_unsupported(const Json& schema, const Place& place, const FieldPath& path) {
    static const std::vector<std::string> kTypes{"array",  "boolean", "integer",
                                                 "number", "object",  "string"};
    const std::string type(string_at(schema, "type"));
    if (!type.empty() && std::find(kTypes.begin(), kTypes.end(), type) == kTypes.end()) {
      add(fe::not_supported(path.field("type").text(), Json(type), kTypes));
    }
    if (type == "null") {
      forbid(path, "type", "type cannot be set to null, use nullable as an alternative");
    }
    if (given(schema, "default") != nullptr && !place.no_defaults.empty()) {
      forbid(path, "default", "must not be set " + place.no_defaults);
    }
    for (const std::string_view keyword :
         {"id", "$schema", "$ref", "additionalItems", "patternProperties", "definitions",
          "dependencies", "x-trainyard-type"}) {
      const Json* value = given(schema, keyword);
      if (value == nullptr || *value == Json("")) continue;
      forbid(path, keyword, fmt::format("{} is not supported", keyword));
    }
    if (const Json* items = given(schema, "items"); items != nullptr && items->is_array()) {
      forbid(path, "items", "items must be a schema object and not an array");
    }
    if (place.inside_metadata && bool_at(schema, "x-kubernetes-embedded-resource")) {
      forbid(path, "x-kubernetes-embedded-resource", "must not be used inside of resource meta");
    }
    if (bool_at(schema, "uniqueItems")) {
      forbid(path, "uniqueItems",
             "uniqueItems cannot be set to true since the runtime complexity becomes quadratic");
    }
    if (const Json* kept = given(schema, "x-kubernetes-preserve-unknown-fields");
        kept != nullptr && !kept->get_bool()) {
      add(fe::invalid(path.field("x-kubernetes-preserve-unknown-fields").text(), *kept,
                      "must be true or undefined"));
    }
    const Json* additional = given(schema, "additionalProperties");
    if (additional != nullptr && !object_at(schema, "properties").empty() &&
        *additional != Json(true)) {
      forbid(path, "additionalProperties",
             "additionalProperties and properties are mutual exclusive");
    }
  }

  void check_children(const Json& schema, const Place& place, const FieldPath& path) {
    Place inner = place;
    inner.root = false;
    if (const Json* additional = given(schema, "additionalProperties");
        additional != nullptr && additional->is_object()) {
      Place values = inner;
      if (place.inside_metadata) {
        values.no_defaults = "inside additionalProperties applying to object metadata";
      }
      check(*additional, values, path.field("additionalProperties"));
    }
    const FieldPath properties = path.field("properties");
    const bool whole = place.root || bool_at(schema, "x-kubernetes-embedded-resource");
    for (const auto& member : object_at(schema, "properties")) {
      const std::string_view name(member.key());
      Place at = inner;
      if (whole && is_meta_field(name)) {
        at.inside_metadata = true;
        if (place.root) at.no_defaults = fmt::format("in top-level {}", name);
      }
      check(member.value(), at, properties.key(name));
    }
    for (const std::string_view keyword : {"not", "items"}) {
      const Json* child = given(schema, keyword);
      if (child != nullptr && child->is_object()) check(*child, inner, path.field(keyword));
    }
    for (const std::string_view keyword : {"allOf", "oneOf", "anyOf"}) {
      const FieldPath list = path.field(keyword);
      std::size_t index = 0;
      for (const Json& part : array_at(schema, keyword)) check(part, inner, list.index(index++));
    }
  }

  void require_type(const Json& schema, std::string_view type, std::string_view keyword,
                    const FieldPath& path) {
    const std::string_view actual = string_at(schema, "type");
    if (actual == type) return;
    const std::string field = path.field("type").text();
    const std::string rule = fmt::format("must be {} if {} is specified", type, keyword);
    add(actual.empty() ? fe::required(field, rule) : fe::invalid(field, Json(actual), rule));
  }

  void check_map_type(const Json& schema, const FieldPath& path) {
    const Json* type = given(schema, "x-kubernetes-map-type");
    if (type == nullptr) return;
    require_type(schema, "object", "x-kubernetes-map-type", path);
    if (*type != Json("atomic") && *type != Json("granular")) {
      add(fe::not_supported(path.field("x-kubernetes-map-type").text(), *type,
                            {"atomic", "granular"}));
    }
  }

  void check_list_type(const Json& schema, const FieldPath& path) {
    const std::string_view type = string_at(schema, "x-kubernetes-list-type");
    const std::string field = path.field("x-kubernetes-list-type").text();
    if (!array_at(schema, "x-kubernetes-list-map-keys").empty() && type != "map") {
      constexpr std::string_view kRule = "must be map if x-kubernetes-list-map-keys is non-empty";
      add(type.empty() ? fe::required(field, kRule) : fe::invalid(field, Json(type), kRule));
    }
    if (given(schema, "x-kubernetes-list-type") == nullptr) return;
    require_type(schema, "array", "x-kubernetes-list-type", path);
    if (type != "atomic" && type != "set" && type != "map") {
      add(fe::not_supported(field, Json(type), {"atomic", "set", "map"}));
    }
    const Json* items = given(schema, "items");
    if (items == nullptr || !items->is_object()) return;
    const FieldPath at = path.field("items");
    if ((type == "set" || type == "map") && bool_at(*items, "nullable")) {
      forbid(at, "nullable",
             fmt::format("cannot be nullable when x-kubernetes-list-type is {}", type));
    }
    if (type == "set" && string_at(schema, "type") == "array") check_set_items(*items, at);
  }

  /// The elements of a set have one owner each.
  void check_set_items(const Json& items, const FieldPath& path) {
    const auto require_atomic = [&](std::string_view keyword, bool unset_is_atomic) {
      const std::string_view type = string_at(items, keyword);
      if (type == "atomic" || (type.empty() && unset_is_atomic)) return;
      add(fe::invalid(path.field(keyword).text(), type.empty() ? Json(nullptr) : Json(type),
                      "must be atomic as item of a list with x-kubernetes-list-type=set"));
    };
    if (string_at(items, "type") == "array") require_atomic("x-kubernetes-list-type", true);
    if (string_at(items, "type") == "object") require_atomic("x-kubernetes-map-type", false);
  }

  void check_list_keys(const Json& schema, const FieldPath& path) {
    if (string_at(schema, "x-kubernetes-list-type") != "map") return;
    const JsonArray& keys = array_at(schema, "x-kubernetes-list-map-keys");
    const std::string field = path.field("x-kubernetes-list-map-keys").text();
    if (keys.empty()) {
      add(fe::required(field, "must not be empty if x-kubernetes-list-type is map"));
    }
    const Json* items = given(schema, "items");
    const FieldPath at = path.field("items");
    if (items == nullptr) {
      add(fe::required(at.text(), "must have a schema if x-kubernetes-list-type is map"));
      return;
    }
    if (!items->is_object()) return;
    const std::string_view type = string_at(*items, "type");
    if (type != "object") {
      add(fe::invalid(at.field("type").text(), Json(type),
                      "must be object if parent array's x-kubernetes-list-type is map"));
      return;
    }
    // Each error shows all keys: of thousands of wrong ones some will do.
    std::set<std::string> seen;
    const std::size_t errors_before = errors_.size();
    for (auto key = keys.begin(); key != keys.end(); ++key) {
      if (errors_.size() > errors_before + kMostKeyErrors) return;
      check_list_key(to_string(key->get_string()), *items, keys, field, at);
      if (!seen.insert(to_string(key->get_string())).second) {
        add(fe::invalid(field, Json(keys), "must not contain duplicate entries"));
      }
    }
  }

  void check_list_key(const std::string& key, const Json& items, const JsonArray& keys,
                      const std::string& keys_field, const FieldPath& path) {
    const Json* property = object_at(items, "properties").if_contains(key);
    if (property == nullptr) {
      add(fe::invalid(keys_field, Json(keys), "entries must all be names of item properties"));
      return;
    }
    const FieldPath properties = path.field("properties");
    const FieldPath at = properties.key(key);
    const std::string_view type = string_at(*property, "type");
    if (type == "array" || type == "object") {
      add(fe::invalid(at.field("type").text(), Json(type),
                      "must be a scalar type if parent array's x-kubernetes-list-type is map"));
    }
    const JsonArray& required = array_at(items, "required");
    const bool always_there =
        std::find(required.begin(), required.end(), Json(key)) != required.end();
    if (!always_there && given(*property, "default") == nullptr) {
      add(fe::required(at.field("default").text(),
                       "this property is in x-kubernetes-list-map-keys, so it must have a default "
                       "or be a required property"));
    }
    if (bool_at(*property, "nullable")) {
      forbid(at, "nullable",
             "this property is in x-kubernetes-list-map-keys, so it cannot be nullable");
    }
  }

  /// Rules in CEL are not evaluated, but they must be there when they are announced.
  void check_validations(const Json& schema, const FieldPath& path) {
    static const std::vector<std::string> kReasons{"FieldValueDuplicate", "FieldValueForbidden",
                                                   "FieldValueInvalid", "FieldValueRequired"};
    const FieldPath list = path.field("x-kubernetes-validations");
    std::size_t index = 0;
    for (const Json& rule : array_at(schema, "x-kubernetes-validations")) {
      const FieldPath at = list.index(index++);
      const std::string_view text = string_at(rule, "rule");
      const std::string_view message = string_at(rule, "message");
      if (is_blank(text)) {
        add(fe::required(at.field("rule").text(), "rule is not specified"));
      } else if (!message.empty() && is_blank(message)) {
        add(fe::invalid(at.field("message").text(), Json(message),
                        "message must be non-empty if specified"));
      } else if (has_line_breaks(message)) {
        add(fe::invalid(at.field("message").text(), Json(message),
                        "message must not contain line breaks"));
      } else if (has_line_breaks(text) && is_blank(message)) {
        add(fe::required(at.field("message").text(),
                         "message must be specified if rule contains line breaks"));
      }
      const std::string reason(string_at(rule, "reason"));
      if (!reason.empty() &&
          std::find(kReasons.begin(), kReasons.end(), reason) == kReasons.end()) {
        add(fe::not_supported(at.field("reason").text(), Json(reason), kReasons));
      }
    }
  }

  Errors& errors_;
};

}  // namespace

void check_keywords(const Json& schema, const FieldPath& path, Errors& errors) {
  Place root;
  root.root = true;
  KeywordCheck(errors).check(schema, root, path);
}

}  // namespace trainyard::definition_schema
